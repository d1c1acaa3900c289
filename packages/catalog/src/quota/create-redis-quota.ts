import { createQuota } from './create-quota.ts'
import type { Quota, QuotaStore } from './quota.ts'

/** The methods needed of a Redis client; `ioredis` has them. */
export interface RedisClient {
  eval(script: string, keys: number, ...parameters: (string | number)[]): Promise<unknown>
  get(key: string): Promise<string | null>
}

const RETENTION_SECONDS = 2 * 24 * 60 * 60

/** Redis runs a script atomically. */
const GRANT = `
local used = tonumber(redis.call('GET', KEYS[1]) or '0')
local size = tonumber(ARGV[3])
local granted = math.max(0, math.min(tonumber(ARGV[2]), math.floor((tonumber(ARGV[1]) - used) / size))) * size
if granted > 0 then
  used = redis.call('INCRBY', KEYS[1], granted)
  redis.call('EXPIRE', KEYS[1], ARGV[4])
end
return {granted, used}`

/**
 * Creates a quota that counts in Redis, for replicas that share it. A day expires two days after its last request.
 *
 * @param client closed by the caller; set its timeouts, or wrap the quota in `createFallbackQuota`
 */
export function createRedisQuota(client: RedisClient): Quota {
  return createQuota(createRedisStore(client))
}

function createRedisStore(client: RedisClient): QuotaStore {
  return {
    async grant(accountId, day, limit, wanted, size = 1) {
      const key = nameKey(accountId, day)
      const reply = await client.eval(GRANT, 1, key, limit, wanted, size, RETENTION_SECONDS)
      const [granted, used] = reply as [number, number]
      return { granted, used }
    },

    async used(accountId, day) {
      return Number((await client.get(nameKey(accountId, day))) ?? 0)
    },
  }
}

function nameKey(accountId: string, day: string): string {
  return `packs:quota:${accountId}:${day}`
}
