import type { Database } from '../database/dialect.ts'
import { cleanText } from '../database/clean-text.ts'
import type { JobRecord, Queries } from '../database/schema.ts'
import type { NewVersion } from '../types.ts'

const RETENTION_MS = 7 * 24 * 60 * 60 * 1000
const IDS_PER_QUERY = 1000

/** Publish jobs in process; a queue stores its own. A commit completes the jobs of its versions. */
export interface JobStore {
  /** Stores the current state of a job; a completed job stays completed. */
  put(job: Omit<JobRecord, 'updated_at'>): Promise<void>
  get(id: string): Promise<JobRecord | undefined>
  /** Returns jobs, last updated first. */
  list(limit: number): Promise<readonly JobRecord[]>
}

/** Creates the store of jobs in a database; a job is kept for a week after its last change. */
export function createJobStore({ queries, reads, now }: Database): JobStore {
  return {
    async put({ id, ...job }) {
      const time = now()
      const row = {
        ...job,
        progress: Math.round(job.progress),
        error: job.error === null ? null : cleanText(job.error),
        updated_at: time.toISOString(),
      }
      await queries
        .insertInto('jobs')
        .values({ id, ...row })
        // A late update, for example one overtaken by the commit, must not reopen a completed job.
        .onConflict((conflict) =>
          conflict
            .column('id')
            .doUpdateSet(row)
            .where((builder) =>
              builder.or([
                builder('jobs.state', '<>', 'completed'),
                builder('excluded.state', '=', 'completed'),
              ]),
            ),
        )
        .execute()
      await queries
        .deleteFrom('jobs')
        .where('updated_at', '<', new Date(time.getTime() - RETENTION_MS).toISOString())
        .execute()
    },

    get: (id) => reads.selectFrom('jobs').selectAll().where('id', '=', cleanText(id)).executeTakeFirst(),

    list: (limit) =>
      reads
        .selectFrom('jobs')
        .selectAll()
        .orderBy('updated_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute(),
  }
}

/** In the transaction of the commit, so that a crash cannot separate the two. */
export async function completeJobs(
  transaction: Queries,
  versions: readonly NewVersion[],
  time: Date,
): Promise<void> {
  const ids = new Set(versions.flatMap(({ provenance }) => provenance.job ?? []))
  const done = {
    state: 'completed' as const,
    progress: 100,
    error: null,
    owner: null,
    updated_at: time.toISOString(),
  }
  for (const rest = [...ids]; rest.length > 0;) {
    const some = rest.splice(0, IDS_PER_QUERY)
    await transaction.updateTable('jobs').set(done).where('id', 'in', some).execute()
  }
}
