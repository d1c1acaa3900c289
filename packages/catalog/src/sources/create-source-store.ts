import { createHash } from 'node:crypto'
import type { SourceStore } from '../catalog.ts'
import { cleanText } from '../database/clean-text.ts'
import type { Database } from '../database/dialect.ts'

/** Source files in a database; the same bytes are kept once. */
export function createSourceStore({ queries, reads }: Database): SourceStore {
  return {
    async put(bytes) {
      const sha256 = createHash('sha256').update(bytes).digest('hex')
      const copy = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      await queries
        .insertInto('sources')
        .values({ sha256, bytes: copy })
        .onConflict((conflict) => conflict.column('sha256').doNothing())
        .execute()
      return sha256
    },

    async get(sha256) {
      const row = await reads
        .selectFrom('sources')
        .select('bytes')
        .where('sha256', '=', cleanText(sha256))
        .executeTakeFirst()
      return row?.bytes
    },
  }
}
