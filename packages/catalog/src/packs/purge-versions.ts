import { sql } from 'kysely'
import { type Actor, recordAudit } from '../audit/create-audit-store.ts'
import { CatalogError } from '../catalog-error.ts'
import {
  changeCatalog,
  type Database,
  type PackTable,
  type Position,
  type Queries,
  type VersionTable,
} from '../database/database.ts'
import { eraseJobs } from '../jobs/create-job-store.ts'
import { createSettingStore } from '../mode/create-setting-store.ts'
import type { DescribedVersion } from '../search-index/describe-version.ts'
import { findLostTerms, forgetTerms, type LostTerms } from '../search-index/forget-terms.ts'
import { updateIndex } from '../search-index/write-packs.ts'
import { hashPurged, removeSources } from '../sources/create-source-store.ts'
import type { Purge } from '../types.ts'
import { describeLatestAfter, requirePack } from './change-version.ts'
import { highestFirst, updatePackRow } from './pack-row.ts'
import { tryToDescribeStored } from './read-versions.ts'
import { formatVersion, purgedColumns } from './version-row.ts'

export interface PurgeRequest {
  readonly slug: string
  /** `undefined` for all that are left. */
  readonly versions?: readonly string[] | undefined
  readonly reason: string
  readonly actor: Actor
  /** Whether the same source may be published again. @default false */
  readonly allowsSource?: boolean
}

export interface PurgeResult {
  /** Highest first. */
  readonly purged: readonly string[]
  /** What was purged earlier of what was asked for. */
  readonly before: readonly Pick<Purge, 'version' | 'purged_at' | 'reason'>[]
  readonly latest: string | null
  /** Where the text may still be in this catalog, a sentence each. */
  readonly warnings: readonly string[]
}

const targetColumns = ['sequence', 'major', 'minor', 'patch', 'source', 'provenance'] as const
const purgeColumns = ['purge', 'purged_at', 'yanked_reason'] as const

type Target = Pick<VersionTable, (typeof targetColumns | typeof purgeColumns)[number]>

/**
 * Erases versions for good in one transaction: their texts, sources, places in the index and jobs,
 * and what others quote of them. Their numbers stay taken. Purged ones stay as they are.
 * @throws CatalogError `unknown_pack` or `unknown_version`; `catalog_unavailable` for a damaged
 *   index
 */
export async function purgeVersions(database: Database, request: PurgeRequest): Promise<PurgeResult> {
  const { reads, dialect, queries } = database
  const pack = await requirePack(reads, request.slug)
  const index = await prepareIndex(database, pack, request)
  const key = await createSettingStore(database).secret('purge')
  const { latest, ...result } = await changeCatalog(database, async (transaction, advance) => {
    const current = await requirePack(transaction, request.slug)
    const wanted = await listTargets(transaction, current, request.versions)
    const targets = wanted.filter(({ purge }) => purge === null)
    let position: Position | undefined
    for (const target of targets) {
      position = advance()
      await blankVersion(transaction, target, position, request, key)
      await recordAudit(transaction, {
        at: database.now(),
        action: 'version.purged',
        actor: request.actor,
        target: `${current.slug}@${formatVersion(target)}`,
        details: { id: current.id, reason: request.reason },
      })
    }
    const sources = targets.flatMap(({ source }) => source ?? [])
    if (position !== undefined) {
      await blankQuotes(transaction, current, targets.map(formatVersion))
      const stored = await eraseJobs(transaction, current.slug, sources, request.versions === undefined)
      await removeSources(transaction, [...sources, ...stored], targets)
    }
    return {
      purged: targets.map(formatVersion),
      before: wanted
        .filter(({ purge }) => purge !== null)
        .map((row) => ({
          version: formatVersion(row),
          purged_at: row.purged_at!,
          reason: row.yanked_reason!,
        })),
      latest: position ? await updatePack(database, transaction, current, position, index) : current.latest,
      warnings: await warnOfSources(transaction, sources),
    }
  })
  const rows = latest === null ? [] : await listTargets(reads, pack, undefined)
  const shown = rows.find(({ sequence }) => sequence === latest)
  const isLogEmpty = await dialect.emptyLog(queries)
  const warnings = [
    ...result.warnings,
    ...(index.isComplete ? [] : ['A document was damaged, so words of it may be left: run `pack index`']),
    ...(isLogEmpty ? [] : ['The log of SQLite has the text while others read: run this again']),
  ]
  return { ...result, latest: shown ? formatVersion(shown) : null, warnings }
}

/**
 * Highest first.
 * @throws CatalogError `unknown_version`
 */
async function listTargets(
  queries: Queries,
  { number, slug }: PackTable,
  versions: readonly string[] | undefined,
): Promise<readonly Target[]> {
  const query = queries.selectFrom('versions').select([...targetColumns, ...purgeColumns])
  const rows = await query.where('pack', '=', number).orderBy(highestFirst).execute()
  const names = rows.map(formatVersion)
  const missing = versions?.find((version) => !names.includes(version))
  if (missing === undefined) return rows.filter((_, at) => versions?.includes(names[at]!) ?? true)
  const hint = `Choose one that it has: ${names.slice(0, 5).join(', ')}${names.length > 5 ? ', …' : ''}.`
  throw new CatalogError('unknown_version', `${slug} has no version ${missing.slice(0, 80)}`, hint)
}

interface PreparedIndex {
  readonly lost: LostTerms
  readonly next: { readonly sequence: number; readonly described: DescribedVersion | undefined } | undefined
  /** Whether all documents could be read. */
  readonly isComplete: boolean
}

/** Reads documents before the transaction, because this can take long. */
async function prepareIndex(
  { reads, dialect }: Database,
  pack: PackTable,
  { versions }: PurgeRequest,
): Promise<PreparedIndex> {
  const targets = (await listTargets(reads, pack, versions)).filter(({ purge }) => purge === null)
  const hidden = targets.map(({ sequence }) => sequence)
  const described: DescribedVersion[] = []
  for (const sequence of hidden)
    described.push(...[await tryToDescribeStored(reads, sequence)].filter((one) => one !== undefined))
  const next = versions && (await describeLatestAfter(reads, pack, hidden))
  const describe = async (number: number): Promise<DescribedVersion | undefined> => {
    if (number === pack.number && next !== undefined) return next.described
    const row = reads.selectFrom('packs').select('latest').where('number', '=', number)
    const { latest = null } = (await row.executeTakeFirst()) ?? {}
    return latest === null || hidden.includes(latest) ? undefined : tryToDescribeStored(reads, latest)
  }
  const lost = await findLostTerms(reads, dialect, described, pack.number, describe)
  return { lost, next, isComplete: described.length === hidden.length }
}

async function blankVersion(
  transaction: Queries,
  { sequence, source }: Target,
  { sequence: purge, updated_at: purged_at }: Position,
  { reason, actor, allowsSource = false }: PurgeRequest,
  key: Uint8Array,
): Promise<void> {
  const columns = {
    ...purgedColumns,
    source: allowsSource || source === null ? null : hashPurged(key, source),
    purge,
    purged_at,
    purged_by: [actor.kind, actor.id].join(' ').trim(),
    yanked_reason: reason,
    document: Buffer.alloc(0),
  }
  await transaction.updateTable('versions').set(columns).where('sequence', '=', sequence).execute()
  for (const table of ['outlines', 'section_texts'] as const)
    await transaction.deleteFrom(table).where('sequence', '=', sequence).execute()
}

/** Reasons of later versions name headings and terms of the one that they were compared with. */
async function blankQuotes(
  transaction: Queries,
  { number }: PackTable,
  names: readonly string[],
): Promise<void> {
  const living = transaction.selectFrom('versions').where('pack', '=', number).where('purge', 'is', null)
  for (const { sequence, parent, provenance } of await living
    .select(['sequence', 'parent', 'provenance'])
    .execute()) {
    const isNext = names.includes(parent ?? '')
    const compared = /"compared with (\d+\.\d+\.\d+), /.exec(provenance)?.[1]
    if (!isNext && !names.includes(compared ?? '')) continue
    const quoted = { reasons: ['the version before it was purged'], ...(isNext && { parent_digest: null }) }
    const left = JSON.stringify({ ...(JSON.parse(provenance) as object), ...quoted })
    const row = transaction.updateTable('versions').set({ provenance: left })
    await row.where('sequence', '=', sequence).execute()
  }
}

/** Returns the sequence number of the latest version that is left. */
async function updatePack(
  { dialect }: Database,
  transaction: Queries,
  pack: PackTable,
  position: Position,
  { lost, next }: PreparedIndex,
): Promise<number | null> {
  const living = transaction.selectFrom('versions').where('pack', '=', pack.number).where('purge', 'is', null)
  const { head } = await living.select(({ fn }) => fn.max('sequence').as('head')).executeTakeFirstOrThrow()
  const latest = await updatePackRow(transaction, { ...pack, head: Number(head ?? pack.head) }, position)
  if (latest !== pack.latest) {
    const isExpected = latest === null || latest === next?.sequence
    const described = isExpected ? next?.described : await tryToDescribeStored(transaction, latest)
    await updateIndex(transaction, dialect, [{ pack: pack.number, latest, described }])
  }
  await forgetTerms(transaction, dialect, lost)
  return latest
}

/** Names some other versions that are made of the same sources. */
async function warnOfSources(transaction: Queries, sources: readonly string[]): Promise<string[]> {
  const names: string[] = []
  for (const source of new Set(sources)) {
    const rows = await transaction
      .selectFrom('versions')
      .innerJoin('packs', 'packs.number', 'versions.pack')
      .select(['packs.slug', 'major', 'minor', 'patch'])
      .where('versions.source', '=', source)
      .limit(10)
      .execute()
    names.push(...rows.map((row) => `${row.slug}@${formatVersion(row)}`))
  }
  return names.length === 0 ? [] : [`Made of the same source, and still there: ${names.join(', ')}`]
}

/** A version that is neither the latest nor one of the highest of its pack. */
export interface OutdatedVersion {
  readonly slug: string
  readonly version: string
  /** Of its document and its source. */
  readonly bytes: number
}

/**
 * Lists what a purge that keeps the highest versions would erase, yanked ones too, of each pack the
 * lowest first.
 * @throws CatalogError `unknown_pack`
 */
export async function listOutdated(
  { reads }: Database,
  { keep, slugs = [] }: { readonly keep: number; readonly slugs?: readonly string[] },
): Promise<readonly OutdatedVersion[]> {
  for (const slug of slugs) await requirePack(reads, slug)
  type Row = Pick<VersionTable, 'major' | 'minor' | 'patch'> & Omit<OutdatedVersion, 'version'>
  const { rows } = await sql<Row>`select p.slug, v.major, v.minor, v.patch,
      v.size + coalesce((select octet_length(bytes) from sources where sha256 = v.source), 0) as bytes
    from (
      select sequence, pack, major, minor, patch, source, octet_length(document) as size,
        row_number() over (partition by pack order by ${highestFirst}) as place
      from versions where purge is null
    ) v join packs p on p.number = v.pack
    where v.place > ${keep} and v.sequence <> coalesce(p.latest, 0)
    order by p.slug, v.place desc`.execute(reads)
  return rows
    .filter(({ slug }) => slugs.length === 0 || slugs.includes(slug))
    .map((row) => ({ slug: row.slug, version: formatVersion(row), bytes: row.bytes }))
}
