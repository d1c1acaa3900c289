import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { SettingStore } from '../catalog.ts'
import type { Database } from '../database/dialect.ts'
import { cleanText } from '../database/normalize-text.ts'
import type { Mode } from '../types.ts'

const modeSchema: z.ZodType<Mode> = z.object({
  mode: z.enum(['online', 'recovery']),
  since: z.string(),
  message: z.string().nullable(),
  retry_after: z.number().nullable(),
})

/** Creates the store of the mode and of secrets in a database. */
export function createSettingStore({ queries, reads, now }: Database): SettingStore {
  const readMode = async (): Promise<Mode> => {
    const row = await reads
      .selectFrom('settings')
      .select('value')
      .where('name', '=', 'mode')
      .executeTakeFirstOrThrow()
    return modeSchema.parse(JSON.parse(row.value))
  }
  return {
    mode: readMode,

    async setMode(mode, options = {}) {
      const before = await readMode()
      const after: Mode = {
        mode,
        since: before.mode === mode ? before.since : now().toISOString(),
        message: options.message ?? null,
        retry_after: options.retryAfter ?? null,
      }
      await queries
        .updateTable('settings')
        .set({ value: JSON.stringify(after) })
        .where('name', '=', 'mode')
        .execute()
      return after
    },

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
