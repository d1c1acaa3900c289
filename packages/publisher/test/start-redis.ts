import { Redis } from 'ioredis'
import { startOwnRedis } from './start-own-redis.ts'

/** A Redis for tests. */
export interface TestRedis {
  readonly url: string
  stop(): Promise<void>
}

/**
 * Starts an empty Redis. If `REDIS_URL` is set and no settings are given, empties and uses a database of that Redis.
 *
 * @param settings server options, as on the command line: `['--maxmemory', '1mb']`
 * @throws Error with instructions if no Redis is found and none can be installed
 */
export async function startRedis(settings: readonly string[] = []): Promise<TestRedis> {
  const { REDIS_URL } = process.env
  return REDIS_URL && settings.length === 0 ? borrowRedis(REDIS_URL) : startOwnRedis(settings)
}

/** Gives each test worker its own database. */
async function borrowRedis(address: string): Promise<TestRedis> {
  const url = new URL(address)
  url.pathname = `/${1 + (Number(process.env['VITEST_POOL_ID'] ?? 0) % 15)}`
  // Without retries, an unreachable Redis is an error at once.
  const redis = new Redis(url.href, { lazyConnect: true, connectTimeout: 10_000, retryStrategy: () => null })
  await redis.connect()
  await redis.flushdb()
  redis.disconnect()
  return { url: url.href, stop: () => Promise.resolve() }
}
