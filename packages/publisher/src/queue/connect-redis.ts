import { Redis, type RedisOptions } from 'ioredis'
import { PublishError } from '../publish-error.ts'
import { createUnavailable, explainQueueError } from './explain-queue-error.ts'

const CONNECT_MS = 5000
const COMMAND_MS = 10_000

type RedisRole = 'producer' | 'worker'
type RoleOptions = Pick<RedisOptions, 'enableOfflineQueue' | 'maxRetriesPerRequest' | 'commandTimeout'>

const ROLES: Readonly<Record<RedisRole, RoleOptions>> = {
  /** Fails at once while Redis is away, so that nobody waits for an answer that does not come. */
  producer: { enableOfflineQueue: false, maxRetriesPerRequest: 1, commandTimeout: COMMAND_MS },
  /** Waits until Redis is back, however long that takes. */
  worker: { maxRetriesPerRequest: null },
}

/**
 * Connects to Redis, and makes sure that it keeps what it is given.
 *
 * @throws PublishError `invalid_redis_url`, `queue_unavailable`, `queue_evicts`
 */
export async function connectRedis(url: string, role: RedisRole): Promise<Redis> {
  const redis = new Redis(checkUrl(url), {
    ...ROLES[role],
    lazyConnect: true,
    connectTimeout: CONNECT_MS,
    retryStrategy: (times) => Math.min(100 * times, 1000),
  })
  let last: Error | undefined
  redis.on('error', (error) => (last = error))
  try {
    await redis.connect()
    await refuseEviction(redis)
    return redis
  } catch (error) {
    redis.disconnect()
    const explained = explainQueueError(error instanceof PublishError ? error : (last ?? error))
    throw explained instanceof PublishError ? explained : createUnavailable('it does not answer', error)
  }
}

function checkUrl(url: string): string {
  if (URL.canParse(url) && /^rediss?:$/.test(new URL(url).protocol)) return url
  throw new PublishError(
    'invalid_redis_url',
    'The address of Redis is no redis:// or rediss:// URL',
    'Write REDIS_URL like redis://127.0.0.1:6379, special characters of a password percent-encoded.',
  )
}

async function refuseEviction(redis: Redis): Promise<void> {
  const policy = /^maxmemory_policy:(\S+)/m.exec(await redis.info('memory'))?.[1]
  if (policy === undefined || policy === 'noeviction') return
  throw new PublishError(
    'queue_evicts',
    `Redis may drop jobs to make room: its maxmemory-policy is ${policy.slice(0, 40)}`,
    'Set maxmemory-policy to noeviction, or use a Redis that is no cache.',
  )
}
