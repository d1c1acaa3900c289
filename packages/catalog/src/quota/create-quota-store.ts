import { sql } from 'kysely'
import type { Database } from '../database/dialect.ts'
import { cleanText } from '../database/clean-text.ts'
import { type QuotaStore, type Quota, createQuota } from './create-quota.ts'

const RETENTION_MS = 7 * 24 * 60 * 60 * 1000

/** Creates the store of request counts in a database; a day is kept for a week. */
export function createQuotaStore({ counts }: Database): QuotaStore {
  const readUsed = async (account: string, day: string): Promise<number> => {
    const row = await counts
      .selectFrom('quota_days')
      .select('used')
      .where('account_id', '=', account)
      .where('day', '=', day)
      .executeTakeFirst()
    return row?.used ?? 0
  }
  return {
    async grant(accountId, day, limit, wanted, size = 1) {
      const account = cleanText(accountId)
      const most = wanted * size
      const first = Math.min(most, limit - (limit % size))
      if (first <= 0) return { granted: 0, used: await readUsed(account, day) }
      // In both databases the right side of SET reads the old row, so this statement also returns how many it granted.
      const granted = sql`case when quota_days.used + ${most} <= ${limit} then ${most} else ${limit} - quota_days.used - (${limit} - quota_days.used) % ${size} end`
      const { rows } = await sql<{ used: number; granted: number }>`
        insert into quota_days (account_id, day, used, granted) values (${account}, ${day}, ${first}, ${first})
        on conflict (account_id, day)
        do update set granted = ${granted}, used = quota_days.used + ${granted} where quota_days.used + ${size} <= ${limit}
        returning used, granted`.execute(counts)
      const [row] = rows
      if (row === undefined) return { granted: 0, used: await readUsed(account, day) }
      if (row.used === row.granted) await removeDaysBefore(account, day)
      return row
    },

    used: (accountId, day) => readUsed(cleanText(accountId), day),
  }

  async function removeDaysBefore(account: string, day: string): Promise<void> {
    const last = new Date(Date.parse(day) - RETENTION_MS).toISOString().slice(0, 10)
    await counts.deleteFrom('quota_days').where('account_id', '=', account).where('day', '<', last).execute()
  }
}

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
 * Counts in Redis, for replicas that share it; a day expires two days after its last request.
 * @param client closed by the caller
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
