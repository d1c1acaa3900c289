import { sql } from 'kysely'
import type { QuotaStore } from '../catalog.ts'
import { cleanText } from '../database/normalize-text.ts'
import type { Database } from '../database/dialect.ts'

const RETENTION_MS = 7 * 24 * 60 * 60 * 1000

/** Counts requests in a database; days are kept for a week. */
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
    async grant(accountId, day, limit, wanted) {
      const account = cleanText(accountId)
      const first = Math.min(wanted, limit)
      if (first <= 0) return { granted: 0, used: await readUsed(account, day) }
      // Both databases read the old row on the right of SET, so that what was granted is told by the statement that grants.
      const granted = sql`case when quota_days.used + ${wanted} <= ${limit} then ${wanted} else ${limit} - quota_days.used end`
      const { rows } = await sql<{ used: number; granted: number }>`
        insert into quota_days (account_id, day, used, granted) values (${account}, ${day}, ${first}, ${first})
        on conflict (account_id, day)
        do update set granted = ${granted}, used = quota_days.used + ${granted} where quota_days.used < ${limit}
        returning used, granted`.execute(counts)
      const [row] = rows
      if (row === undefined) return { granted: 0, used: await readUsed(account, day) }
      if (row.used === row.granted) await forgetBefore(account, day)
      return row
    },

    used: (accountId, day) => readUsed(cleanText(accountId), day),
  }

  async function forgetBefore(account: string, day: string): Promise<void> {
    const last = new Date(Date.parse(day) - RETENTION_MS).toISOString().slice(0, 10)
    await counts.deleteFrom('quota_days').where('account_id', '=', account).where('day', '<', last).execute()
  }
}
