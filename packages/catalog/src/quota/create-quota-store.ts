import { sql } from 'kysely'
import { type Database, cleanText } from '../database/database.ts'
import { type QuotaStore, type Quota, createQuota, dayOf } from './create-quota.ts'

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

/** The method needed of a Redis client; `ioredis` has it. */
export interface RedisClient {
  eval(script: string, keys: number, ...parameters: (string | number)[]): Promise<unknown>
}

const RETENTION_DAYS = 2

/** Redis runs a script atomically. */
const writeGrant = (get: string, add: string): string => `
local used = tonumber(redis.call(${get}) or '0')
local size = tonumber(ARGV[3])
local granted = math.max(0, math.min(tonumber(ARGV[2]), math.floor((tonumber(ARGV[1]) - used) / size))) * size
if granted > 0 then
  used = redis.call(${add}, granted)
  redis.call('EXPIRE', KEYS[1], ARGV[4])
end
return {granted, used}`

const GRANT = writeGrant("'GET', KEYS[1]", "'INCRBY', KEYS[1]")
const GRANT_FIELD = writeGrant("'HGET', KEYS[1], ARGV[5]", "'HINCRBY', KEYS[1], ARGV[5]")

/**
 * Counts in Redis, for replicas that share it; a day expires two days after its last request.
 * @param client closed by the caller
 */
export function createRedisQuota(client: RedisClient): Quota {
  const grant: QuotaStore['grant'] = async (id, day, limit, wanted, size = 1) => {
    const [account = '', mark] = id.split(' version ')
    const numbers = [limit, wanted, size, RETENTION_DAYS * 86_400]
    const reply = await (mark === undefined
      ? client.eval(GRANT, 1, nameKey(account, day), ...numbers)
      : client.eval(GRANT_FIELD, 1, nameMarks(account, day), ...numbers, mark))
    const [granted, used] = reply as [number, number]
    return { granted, used }
  }
  return createQuota({ grant, used: async (id, day) => (await grant(id, day, 0, 0)).used })
}

/** Deletes what Redis has of an account: its counts, and the versions that it has read. */
export async function removeRedisCounts(
  client: { del(key: string): Promise<unknown> },
  accountId: string,
  now: Date,
): Promise<void> {
  for (let ago = 0; ago <= RETENTION_DAYS; ago++) {
    const day = dayOf(new Date(now.getTime() - ago * 86_400_000))
    await client.del(nameKey(accountId, day))
    await client.del(nameMarks(accountId, day))
  }
}

function nameKey(accountId: string, day: string): string {
  return `packs:quota:${accountId}:${day}`
}

/** One key for the versions that an account has read on a day, so that they can be deleted. */
function nameMarks(accountId: string, day: string): string {
  return nameKey(`${accountId} versions`, day)
}
