import { INDEX_FORMAT } from '@packs/search'
import { sql, type RawBuilder, type SqlBool } from 'kysely'
import { CatalogError } from '../catalog-error.ts'
import type { Database } from '../database/dialect.ts'
import { changeCatalog } from '../packs/change-catalog.ts'
import { describeStored, sectionsStored } from '../packs/read-versions.ts'
import { cutSections, encodeOutline, type DescribedVersion } from '../search-index/describe-version.ts'
import { updateIndex, type PackUpdate } from '../search-index/update-index.ts'
import { readIndexState } from '../search-index/write-packs.ts'
import { listIncomplete } from './create-search-store.ts'
import { writeTexts } from '../search-index/section-texts.ts'
import { resetIndex } from './recreate-index.ts'

export interface IndexOptions {
  /** Ends the run after the batch in hand. */
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: IndexProgress) => void) | undefined
  /** Most packs in one transaction. @default 16 */
  readonly batch?: number | undefined
}

export interface IndexProgress {
  /** Packs indexed so far. */
  readonly packs: number
  /** Versions whose outlines or texts were stored so far, the indexed ones too. */
  readonly outlines: number
}

/** A version that the index cannot hold, because its document is damaged. */
export interface SkippedVersion {
  readonly slug: string
  readonly version: string
  readonly sequence: number
  readonly reason: string
}

export interface IndexRun extends IndexProgress {
  readonly skipped: readonly SkippedVersion[]
}

/** In the words of the partial index of packs that wait. */
export const isWaiting: RawBuilder<SqlBool> = sql<SqlBool>`indexed is distinct from latest`

/**
 * Sections that one transaction writes, so that it ends in less than 200 ms; a larger pack is
 * written alone.
 */
const MAX_SECTIONS = 300

/**
 * Indexes the packs whose latest version is not in the index, and stores missing outlines and
 * texts, in short transactions. It can be interrupted and repeated, and several processes can run
 * it at once. Damaged versions are skipped.
 *
 * @param reached where an interrupted run of this process stopped to look for missing outlines
 * @throws CatalogError `catalog_unavailable` if the tables of the index are damaged: `rebuild`
 *   creates them again
 * @example
 * const { packs, skipped } = await catalog.search.indexWaiting()
 */
export async function indexWaiting(
  database: Database,
  reached: Reached,
  options: IndexOptions = {},
): Promise<IndexRun> {
  const state = await readIndexState(database.reads)
  if (state?.format !== INDEX_FORMAT) await resetIndex(database)
  const run: Run = { packs: 0, outlines: 0, skipped: [], options }
  await indexPacks(database, run)
  await completeVersions(database, run, reached)
  const { packs, outlines, skipped } = run
  return { packs, outlines, skipped }
}

/** The sequence number up to which versions have their outlines and texts. */
export interface Reached {
  sequence: number
}

interface Run {
  packs: number
  outlines: number
  readonly skipped: SkippedVersion[]
  readonly options: IndexOptions
}

const DEFAULT_BATCH = 16

function report({ packs, outlines, options }: Run): void {
  options.onProgress?.({ packs, outlines })
}

/** A pack whose latest version was described. */
interface WaitingPack {
  readonly number: number
  readonly latest: number | null
  readonly described: DescribedVersion | undefined
}

/**
 * Goes through the packs in the order of their numbers, each once: those that fail are not tried
 * again.
 */
async function indexPacks(database: Database, run: Run): Promise<void> {
  for (let after = 0; run.options.signal?.aborted !== true;) {
    const rows = await database.reads
      .selectFrom('packs')
      .select(['number', 'latest'])
      .where(isWaiting)
      .where('number', '>', after)
      .orderBy('number')
      .limit(run.options.batch ?? DEFAULT_BATCH)
      .execute()
    if (rows.length === 0) return
    let part: WaitingPack[] = []
    for (const row of rows) {
      const described =
        row.latest === null
          ? undefined
          : await skipDamaged(run, row.latest, describeStored(database.reads, row.latest))
      if (row.latest === null || described !== undefined) part.push({ ...row, described })
      if (countSections(part) >= MAX_SECTIONS) {
        await writeBatch(database, part, run)
        part = []
      }
      after = row.number
      if (run.options.signal?.aborted) break
    }
    await writeBatch(database, part, run)
  }
}

function countSections(packs: readonly WaitingPack[]): number {
  return packs.reduce((sum, { described }) => sum + (described?.entries.length ?? 0), 0)
}

/** Returns what a version gives; notes a damaged one, which gives nothing. */
async function skipDamaged<T>({ skipped }: Run, sequence: number, read: Promise<T>): Promise<T | undefined> {
  try {
    return await read
  } catch (error) {
    if (!(error instanceof CatalogError) || error.damaged === undefined) throw error
    const { slug, version } = error.damaged
    if (skipped.every((known) => known.sequence !== sequence))
      skipped.push({ slug, version: version ?? '', sequence, reason: error.message })
    return undefined
  }
}

/** Writes the packs that still wait and have the same latest version. */
async function writeBatch(database: Database, packs: readonly WaitingPack[], run: Run): Promise<void> {
  if (packs.length === 0) return
  const written = await changeCatalog(database, async (transaction) => {
    const current = await transaction
      .selectFrom('packs')
      .select(['number', 'latest'])
      .where(
        'number',
        'in',
        packs.map(({ number }) => number),
      )
      .where(isWaiting)
      .execute()
    const latest = new Map(current.map((row) => [row.number, row.latest]))
    const updates = packs
      .filter((pack) => latest.get(pack.number) === pack.latest)
      .map(({ number, ...pack }): PackUpdate => ({ pack: number, ...pack }))
    const outlines = updates.flatMap(({ latest: sequence, described }) =>
      sequence === null ? [] : [{ sequence, described }],
    )
    if (!(await updateIndex(transaction, database.dialect, updates, outlines))) throw damagedIndexError()
    return { packs: updates.length, outlines: outlines.length }
  })
  run.packs += written.packs
  run.outlines += written.outlines
  report(run)
}

function damagedIndexError(): CatalogError {
  return new CatalogError(
    'catalog_unavailable',
    'The tables of the search index are damaged or missing',
    'Run `pack index`, which creates them again.',
  )
}

interface CompletedVersion {
  readonly sequence: number
  readonly outline: string
  readonly texts: readonly string[]
}

/** Stores missing outlines of versions, and texts of those that are indexed. */
async function completeVersions(database: Database, run: Run, reached: Reached): Promise<void> {
  while (run.options.signal?.aborted !== true) {
    const versions = await listIncomplete(database, reached.sequence, run.options.batch ?? DEFAULT_BATCH)
    let part: CompletedVersion[] = []
    for (const sequence of versions) {
      const found = await skipDamaged(run, sequence, sectionsStored(database.reads, sequence))
      if (found) part.push({ sequence, outline: encodeOutline(found), texts: cutSections(found) })
      if (part.reduce((sum, { texts }) => sum + texts.length, 0) >= MAX_SECTIONS) {
        await storeCompleted(database, part, run)
        part = []
      }
    }
    await storeCompleted(database, part, run)
    reached.sequence = versions.at(-1) ?? 0
    if (versions.length === 0) return
  }
}

/** Stores the outlines of versions, and the texts of those that are indexed now. */
async function storeCompleted(
  database: Database,
  versions: readonly CompletedVersion[],
  run: Run,
): Promise<void> {
  if (versions.length === 0) return
  await changeCatalog(database, async (transaction) => {
    await transaction
      .insertInto('outlines')
      .values(versions.map(({ sequence, outline }) => ({ sequence, data: outline })))
      .onConflict((conflict) => conflict.column('sequence').doNothing())
      .execute()
    const texts = new Map(versions.map((version) => [version.sequence, version.texts]))
    const indexed = await transaction
      .selectFrom('packs')
      .innerJoin('versions', 'versions.pack', 'packs.number')
      .select(['packs.number', 'versions.sequence'])
      .where('versions.sequence', 'in', [...texts.keys()])
      .whereRef('packs.indexed', '=', 'versions.sequence')
      .execute()
    await writeTexts(
      transaction,
      indexed.map(({ number, sequence }) => ({ pack: number, latest: sequence, texts: texts.get(sequence) })),
    )
  })
  // A text without sections has no rows, so it is listed again by each run.
  run.outlines += versions.filter(({ texts }) => texts.length > 0).length
  report(run)
}
