import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { type Actor, recordAudit } from '../audit/create-audit-store.ts'
import { type Database, cleanText, type Queries } from '../database/database.ts'

/** In `recovery` `/api/v1` rejects every request, and everybody can read whole packs on pages. */
export interface Mode {
  readonly mode: 'online' | 'recovery'
  readonly since: string
  readonly message: string | null
  /** Seconds to send as Retry-After. */
  readonly retry_after: number | null
  readonly previews?: boolean | undefined
}

export interface CatalogState {
  readonly sequence: number
  readonly mode: Mode
}

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

/** Milliseconds that the sequence is kept; a response is out of date for at most this time. */
const MAX_AGE_MS = 50

/** Knows from memory what the database last said, so that any number of callers may ask. */
export interface CatalogWatch {
  current(): Mode
  /** Returns the sequence of the catalog, at most 50 ms old; synchronously if it is known. */
  sequence(): number | Promise<number>
  /** Milliseconds since the database answered, without those in which this process did not run. */
  silence(): number
  stop(): void
}

export interface WatchOptions {
  /** Milliseconds between questions. @default 250 */
  readonly everyMs?: number
  /** Returns milliseconds that only increase. @default performance.now */
  readonly clock?: () => number
}

/**
 * Asks the database all the time, one question at once, so that every replica sees a switch of the
 * mode within a second. Anyone who needs the sequence sooner shares the question. While the
 * database cannot answer, the last known mode stays in effect.
 * @throws CatalogError if the first question fails
 */
export async function watchCatalog(
  catalog: { state(): Promise<CatalogState> },
  { everyMs = 250, clock = () => performance.now() }: WatchOptions = {},
): Promise<CatalogWatch> {
  let askedAt = clock()
  let silence = 0
  let state = await catalog.state()
  let pending: Promise<CatalogState> | undefined

  const ask = async (): Promise<CatalogState> => {
    const start = clock()
    try {
      state = await catalog.state()
      askedAt = start
      silence = 0
      return state
    } finally {
      pending = undefined
    }
  }
  const isFresh = (): boolean => clock() - askedAt < MAX_AGE_MS
  const timer = setInterval(() => {
    // In steps, so that nobody takes the database for lost because this process was busy.
    silence += everyMs
    if (!isFresh()) (pending ??= ask()).catch(() => undefined)
  }, everyMs).unref()

  return {
    current: () => state.mode,
    sequence: () => (isFresh() ? state.sequence : (pending ??= ask()).then(({ sequence }) => sequence)),
    silence: () => silence,
    stop: () => clearInterval(timer),
  }
}
