import type { Queries } from '../database/schema.ts'
import type { NewVersion } from '../types.ts'

const MOST_DIGESTS = 1000

/** Keeps the sources of versions for good, in the transaction that commits these. */
export async function keepSources(transaction: Queries, versions: readonly NewVersion[]): Promise<void> {
  const digests = new Set(versions.map(({ provenance }) => provenance.source_sha256))
  for (const rest = [...digests]; rest.length > 0;) {
    await transaction
      .updateTable('sources')
      .set({ asked_at: null })
      .where('sha256', 'in', rest.splice(0, MOST_DIGESTS))
      .where('asked_at', 'is not', null)
      .execute()
  }
}
