import type { JobStore } from '../catalog.ts'
import { cleanText } from '../database/clean-text.ts'
import type { Database } from '../database/dialect.ts'
import type { JobRecord, JobState } from '../types.ts'

const KEPT_MS = 7 * 24 * 60 * 60 * 1000

/** Jobs in a database, kept for a week after their last change. */
export function createJobStore({ queries, reads, now }: Database): JobStore {
  return {
    async put(job) {
      const time = now()
      const row = {
        slug: job.slug,
        state: job.state,
        progress: Math.round(job.progress),
        attempts: job.attempts,
        error: job.error === null ? null : cleanText(job.error),
        updated_at: time.toISOString(),
        owner: job.owner,
      }
      await queries
        .insertInto('jobs')
        .values({ id: job.id, ...row })
        // Who is told of the same job late, or was overtaken by its commit, takes nothing back.
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
        .where('updated_at', '<', new Date(time.getTime() - KEPT_MS).toISOString())
        .execute()
    },

    async get(id) {
      const row = await reads
        .selectFrom('jobs')
        .selectAll()
        .where('id', '=', cleanText(id))
        .executeTakeFirst()
      return row && readJob(row)
    },

    async list(limit) {
      const rows = await reads
        .selectFrom('jobs')
        .selectAll()
        .orderBy('updated_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute()
      return rows.map(readJob)
    },
  }
}

function readJob(row: Omit<JobRecord, 'state'> & { readonly state: string }): JobRecord {
  return { ...row, state: row.state as JobState }
}
