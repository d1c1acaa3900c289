import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { type Actor, recordAudit } from '../audit/create-audit-store.ts'
import type { Database } from '../database/dialect.ts'
import { cleanText } from '../database/clean-text.ts'
import type { Queries } from '../database/schema.ts'

/**
 * The operating mode. In `recovery`, `/api/v1` rejects every request, and everybody can read and
 * download whole packs on the pages.
 */
export interface Mode {
  readonly mode: 'online' | 'recovery'
  readonly since: string
  readonly message: string | null
  /** Seconds to send as Retry-After. */
  readonly retry_after: number | null
  /** Whether recovery mode keeps previews. */
  readonly previews?: boolean | undefined
}

/** What a program asks the catalog all the time. */
export interface CatalogState {
  readonly sequence: number
  readonly mode: Mode
}

/** The operating mode, and secrets shared by all replicas. */
export interface SettingStore {
  /** Returns the mode; a new database is `online`. */
  mode(): Promise<Mode>
  /** What is not given stays as it is in the same mode. */
  setMode(
    mode: Mode['mode'],
    options: { message?: string; retryAfter?: number; previews?: boolean; actor: Actor },
  ): Promise<Mode>
  /** Returns the named 32 random bytes, created at first use; the same for concurrent callers. */
  secret(name: string): Promise<Uint8Array>
}

const modeSchema: z.ZodType<Mode> = z.object({
  mode: z.enum(['online', 'recovery']),
  since: z.string(),
  message: z.string().nullable(),
  retry_after: z.number().nullable(),
  previews: z.boolean().optional(),
})

export function createSettingStore({ queries, reads, now }: Database): SettingStore {
  return {
    async mode() {
      const row = await reads
        .selectFrom('settings')
        .select('value')
        .where('name', '=', 'mode')
        .executeTakeFirstOrThrow()
      return parseMode(row.value)
    },

    setMode: (mode, { message, retryAfter, previews, actor }) =>
      queries.transaction().execute(async (transaction) => {
        const before = await lockMode(transaction)
        const at = now()
        const same = before.mode === mode ? before : undefined
        const after: Mode = {
          mode,
          since: same?.since ?? at.toISOString(),
          message: message ?? same?.message ?? null,
          retry_after: retryAfter ?? same?.retry_after ?? null,
          previews: previews ?? same?.previews,
        }
        const value = JSON.stringify(after)
        if (value === JSON.stringify(before)) return after
        await transaction.updateTable('settings').set({ value }).where('name', '=', 'mode').execute()
        const { since: _, previews: hasPreviews, ...set } = after
        const details = { mode_before: before.mode, ...set, ...(hasPreviews && { previews: true }) }
        await recordAudit(transaction, { at, action: 'mode.switched', actor, details })
        return after
      }),

    async secret(name) {
      const key = `secret:${cleanText(name)}`
      const find = reads.selectFrom('settings').select('value').where('name', '=', key)
      const known = await find.executeTakeFirst()
      if (known !== undefined) return Buffer.from(known.value, 'base64')
      await queries
        .insertInto('settings')
        .values({ name: key, value: randomBytes(32).toString('base64') })
        .onConflict((conflict) => conflict.column('name').doNothing())
        .execute()
      const { value } = await find.executeTakeFirstOrThrow()
      return Buffer.from(value, 'base64')
    },
  }
}

export function parseMode(value: string): Mode {
  return modeSchema.parse(JSON.parse(value))
}

/** Locks the row by an update in Postgres; SQLite has locked the file already. */
async function lockMode(transaction: Queries): Promise<Mode> {
  const { value } = await transaction
    .updateTable('settings')
    .set((setting) => ({ value: setting.ref('value') }))
    .where('name', '=', 'mode')
    .returning('value')
    .executeTakeFirstOrThrow()
  return parseMode(value)
}
