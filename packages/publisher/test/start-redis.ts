import { Redis } from 'ioredis'
import { startOwnRedis } from './start-own-redis.ts'

/** A Redis for tests. */
export interface TestRedis {
  readonly url: string
  stop(): Promise<void>
}

/**
 * Starts an empty Redis; with `REDIS_URL` set, and no settings asked for, empties a database of that one.
 *
 * @param settings of the server, as on its command line: `['--maxmemory', '1mb']`
 * @throws Error that says how to get a Redis, where there is none and none can be installed
 */
export async function startRedis(settings: readonly string[] = []): Promise<TestRedis> {
  const { REDIS_URL } = process.env
  return REDIS_URL && settings.length === 0 ? borrowRedis(REDIS_URL) : startOwnRedis(settings)
}

/** Test files that run at the same time get a database each. */
async function borrowRedis(address: string): Promise<TestRedis> {
  const url = new URL(address)
  url.pathname = `/${1 + (Number(process.env['VITEST_POOL_ID'] ?? 0) % 15)}`
  const redis = new Redis(url.href)
  await redis.flushdb()
  redis.disconnect()
  return { url: url.href, stop: () => Promise.resolve() }
}
