import { sql, type RawBuilder, type SqlBool } from 'kysely'
import { type Actor, recordAudit } from '../audit/create-audit-store.ts'
import { CatalogError } from '../catalog-error.ts'
import {
  type Database,
  cleanText,
  type JobRecord,
  type Queries,
  changeCatalog,
  splitParts,
} from '../database/database.ts'
import type { NewVersion } from '../types.ts'

const DAY_MS = 24 * 60 * 60 * 1000
/** Days after the last change of a job. One that waits is kept as long as its source. */
const FINISHED_DAYS = 7
const UNFINISHED_DAYS = 30
const VALUES_PER_QUERY = 1000

export type NewJob = Pick<JobRecord, 'id' | 'slug' | 'state' | 'attempts' | 'owner' | 'release' | 'data'>

export type JobEnd = Pick<JobRecord, 'error' | 'result'> & { readonly state: 'completed' | 'failed' }

/** An accepted publish of a pack. Owner and time are those of its release, if it has one. */
export type UnfinishedJob = Pick<
  JobRecord,
  'id' | 'slug' | 'sequence' | 'release' | 'data' | 'owner' | 'updated_at'
>

/** Publish jobs, in process and of a queue. A commit completes the jobs of its versions. */
export interface JobStore {
  /**
   * Accepts jobs in one transaction, which gives them the next number. A job of the same id starts
   * again.
   * @param plan gets the unfinished publish of each pack that was accepted last; it may be called
   *   again
   */
  accept(
    slugs: readonly string[],
    plan: (last: ReadonlyMap<string, UnfinishedJob>) => readonly NewJob[],
  ): Promise<void>
  /** Stores the end of a job that exists; a completed job stays completed. */
  finish(id: string, end: JobEnd): Promise<void>
  /**
   * Lets a job wait again, and the members of a release that are not built.
   * @returns their ids, the release first
   */
  retry(job: Pick<JobRecord, 'id' | 'slug'>, actor: Actor): Promise<readonly string[]>
  /** Shows that the process of a job is alive. */
  touch(id: string): Promise<void>
  get(id: string): Promise<JobRecord | undefined>
  members(release: string): Promise<readonly JobRecord[]>
  /** Returns unfinished publishes of packs with a lower number, first accepted first. */
  unfinished(slugs: readonly string[], before?: number): Promise<readonly UnfinishedJob[]>
  /** Returns jobs without members of releases, last updated first. */
  list(limit: number): Promise<readonly JobRecord[]>
}

export function createJobStore(database: Database): JobStore {
  const { queries, reads, now } = database
  return {
    async accept(slugs, plan) {
      await changeCatalog(database, async (transaction) => {
        const pending = await listUnfinished(transaction, slugs)
        const jobs = plan(new Map(pending.map((job) => [job.slug, job])))
        if (jobs.length > 0) await insertJobs(transaction, jobs, now())
      })
      await queries.deleteFrom('jobs').where(isJobExpired(now())).execute()
    },

    async finish(id, { state, error, result }) {
      const progress = state === 'completed' ? 100 : 0
      const updated_at = now().toISOString()
      const end = { state, progress, error: error && cleanText(error), result: result && cleanText(result) }
      const update = queries.updateTable('jobs').set({ ...end, updated_at, owner: null })
      // A late update, for example one overtaken by the commit, must not reopen a completed job.
      const open = state === 'completed' ? update : update.where('state', '<>', 'completed')
      await open.where('id', '=', id).execute()
    },

    retry: ({ id, slug }, actor) =>
      queries.transaction().execute(async (transaction) => {
        const at = now()
        const start = { state: 'waiting' as const, progress: 0, error: null, result: null }
        const jobs = await transaction
          .updateTable('jobs')
          .set({ ...start, updated_at: at.toISOString() })
          .where(sql<boolean>`id = ${id} or (release = ${id} and state <> 'completed')`)
          .returning('id')
          .execute()
        await recordAudit(transaction, { at, action: 'job.retried', actor, target: id, details: { slug } })
        return [id, ...jobs.map((job) => job.id).filter((member) => member !== id)]
      }),

    async touch(id) {
      const alive = { updated_at: now().toISOString() }
      await queries
        .updateTable('jobs')
        .set(alive)
        .where('id', '=', id)
        .where('state', '=', 'active')
        .execute()
    },

    get: (id) => reads.selectFrom('jobs').selectAll().where('id', '=', cleanText(id)).executeTakeFirst(),

    members: (release) => reads.selectFrom('jobs').selectAll().where('release', '=', release).execute(),

    unfinished: (slugs, before) => listUnfinished(reads, slugs, before),

    list: (limit) =>
      reads
        .selectFrom('jobs')
        .selectAll()
        .where('release', 'is', null)
        .orderBy('updated_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute(),
  }
}

async function insertJobs(transaction: Queries, jobs: readonly NewJob[], time: Date): Promise<void> {
  const { last } = await transaction
    .selectFrom('jobs')
    .select(({ fn }) => fn.max('sequence').as('last'))
    .executeTakeFirstOrThrow()
  const start = { progress: 0, error: null, result: null, sequence: Number(last) + 1 }
  const rows = jobs.map((job) => ({ ...job, ...start, updated_at: time.toISOString() }))
  for (const part of splitParts(rows)) {
    await transaction
      .insertInto('jobs')
      .values(part)
      .onConflict((conflict) =>
        conflict.column('id').doUpdateSet((builder) => ({
          ...start,
          state: builder.ref('excluded.state'),
          attempts: sql`jobs.attempts + excluded.attempts`,
          owner: builder.ref('excluded.owner'),
          data: builder.ref('excluded.data'),
          updated_at: builder.ref('excluded.updated_at'),
        })),
      )
      .execute()
  }
}

async function listUnfinished(
  queries: Queries,
  slugs: readonly string[],
  before = Number.MAX_SAFE_INTEGER,
): Promise<UnfinishedJob[]> {
  const found: UnfinishedJob[] = []
  for (const part of splitParts(slugs, VALUES_PER_QUERY)) {
    const some = await queries
      .selectFrom('jobs as own')
      .innerJoin('jobs as whole', (join) => join.on('whole.id', '=', sql`coalesce(own.release, own.id)`))
      .select(['own.id', 'own.slug', 'own.sequence', 'own.release', 'own.data'])
      .select(['whole.owner', 'whole.updated_at'])
      .where('own.slug', 'in', part)
      .where('own.data', 'is not', null)
      .where('own.sequence', '<', before)
      .where('whole.state', 'in', ['waiting', 'active'])
      .orderBy('own.sequence')
      .execute()
    found.push(...some)
  }
  return found
}

/** Jobs have an index of this time. */
export function isJobExpired(now: Date): RawBuilder<SqlBool> {
  const before = (days: number): string => new Date(now.getTime() - days * DAY_MS).toISOString()
  return sql`updated_at < ${before(FINISHED_DAYS)}
    and (state in ('completed', 'failed') or updated_at < ${before(UNFINISHED_DAYS)})`
}

/**
 * In the transaction of the commit, so that a crash cannot separate the two.
 * @throws CatalogError `job_superseded`
 */
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
  for (const part of splitParts([...ids], VALUES_PER_QUERY)) {
    await requireLatest(transaction, part)
    await transaction.updateTable('jobs').set(done).where('id', 'in', part).execute()
  }
}

/**
 * Erases what jobs have of purged sources, and the results of a pack and of its releases, which
 * quote texts. Their rows stay, so that no job that ends late replaces a later one.
 * @param isWhole whether nothing of the pack is left: then also what its finished jobs have
 * @returns digests of what such jobs have stored as sources
 */
export async function eraseJobs(
  transaction: Queries,
  slug: string,
  sources: readonly string[],
  isWhole: boolean,
): Promise<readonly string[]> {
  const releases = sql`(select release from jobs where slug = ${slug})`
  const ofPack = sql`slug = ${slug} or id in ${releases} or release in ${releases}`
  const ofSources = sources.map((source) => sql`data like ${`%"source":"${source}"%`}`)
  const stored: string[] = []
  for (const condition of [ofPack, ...ofSources]) {
    const { rows } = await sql<JobRecord>`select * from jobs where ${condition}`.execute(transaction)
    const states = new Map(rows.map(({ id, state }) => [id, state]))
    for (const row of rows) {
      const data = row.data === null ? null : (JSON.parse(row.data) as { readonly source: string })
      const state = states.get(row.release ?? row.id) ?? row.state
      const isDone = state === 'completed' || state === 'failed'
      const isErased = data && (sources.includes(data.source) || (isWhole && row.slug === slug && isDone))
      if (!isErased && !isDone) continue
      const { built } = (JSON.parse(row.result ?? 'null') ?? {}) as { readonly built?: string }
      if (isErased) stored.push(...[data.source, built].filter((digest) => digest !== undefined))
      const left = isErased ? JSON.stringify({ ...data, ...NO_TEXT }) : row.data
      const error = row.error?.replace(/: .*/s, ': its text was purged') ?? null
      const update = transaction.updateTable('jobs').set({ data: left, result: null, error })
      await update.where('id', '=', row.id).execute()
    }
  }
  return stored
}

const NO_TEXT = { source: '', source_digest: '', path: '-', git_commit: null, given: undefined }

/** A job that ends late, or that an operator repeats, must not replace what was accepted later. */
async function requireLatest(transaction: Queries, ids: readonly string[]): Promise<void> {
  const late = await transaction
    .selectFrom('jobs as own')
    .innerJoin('jobs as whole', (join) => join.on('whole.id', '=', sql`coalesce(own.release, own.id)`))
    .innerJoin('jobs as later', (join) =>
      join.onRef('later.slug', '=', 'own.slug').onRef('later.sequence', '>', 'own.sequence'),
    )
    .innerJoin('jobs as other', (join) => join.on('other.id', '=', sql`coalesce(later.release, later.id)`))
    .select('own.slug')
    .where((where) => where.or([where('own.id', 'in', ids), where('own.release', 'in', ids)]))
    .where('own.data', 'is not', null)
    .where('later.data', 'is not', null)
    .where('whole.state', '<>', 'completed')
    .where('other.state', '=', 'completed')
    .executeTakeFirst()
  if (late === undefined) return
  throw new CatalogError(
    'job_superseded',
    `A publish of ${late.slug} that was accepted later has taken effect`,
    'Publish this source again if it is to be the newest version.',
  )
}
