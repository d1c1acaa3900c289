import type { Queries } from '../database/schema.ts'
import type { NewVersion } from '../types.ts'

const MOST_IDS = 1000

/** Completes the jobs that versions are of, in the transaction that commits these, so that no end of a process comes between. */
export async function completeJobs(
  transaction: Queries,
  versions: readonly NewVersion[],
  time: Date,
): Promise<void> {
  const ids = new Set(versions.flatMap(({ provenance }) => provenance.job ?? []))
  const done = { state: 'completed', progress: 100, error: null, owner: null, updated_at: time.toISOString() }
  for (const rest = [...ids]; rest.length > 0;) {
    const some = rest.splice(0, MOST_IDS)
    await transaction.updateTable('jobs').set(done).where('id', 'in', some).execute()
  }
}
