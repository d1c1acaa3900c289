import { derivePackId } from '@packs/codec/internal'
import { PackError, parsePack, type Pack } from '@packs/codec/pack'
import { CatalogError } from '../catalog-error.ts'
import type { Database, PackTable, Queries, VersionTable } from '../database/database.ts'
import type { ExaminedVersion, VersionName } from '../types.ts'
import { findPack, findVersion, deriveListedColumns } from './pack-row.ts'
import {
  parseProvenance,
  listSummaryDifferences,
  formatVersion,
  isTime,
  parseSignatures,
  parseVersionNumber,
  purgedColumns,
} from './version-row.ts'
import { hash } from 'node:crypto'

/** Compares a version with all that it is derived from; reads damaged rows too. */
export async function examineVersion(
  database: Database,
  slug: string,
  version: string,
): Promise<ExaminedVersion | undefined> {
  const { reads } = database
  const pack = await findPack(reads, slug)
  const row = pack && (await findVersion(reads, pack, version))
  if (row === undefined) return undefined
  const examined = await examineRows(database, pack!, row)
  const after = await findPack(reads, slug)
  // The rows are read one after another, so a commit or yank in between would look like damage.
  return after?.sequence === pack!.sequence ? examined : examineVersion(database, slug, version)
}

async function examineRows(
  { reads }: Database,
  pack: PackTable,
  row: Omit<VersionTable, 'document'>,
): Promise<ExaminedVersion> {
  const bytes = await readDocument(reads, row.sequence)
  if (row.purge !== null) return examinePurged(reads, pack, row, bytes)
  const document = tryToRead(parsePack, bytes)
  const provenance = tryToRead(parseProvenance, row)
  const siblings = await readSiblings(reads, pack.number)
  const living = siblings.filter(({ purge }) => purge === null)
  const latest = living
    .filter(({ yanked_reason }) => yanked_reason === null)
    .toSorted((a, b) => a.major - b.major || a.minor - b.minor || a.patch - b.patch)
    .at(-1)
  const shown =
    latest?.sequence === row.sequence
      ? document
      : latest && tryToRead(parsePack, await readDocument(reads, latest.sequence))
  // A version before it may have been purged before or after its commit.
  const before = siblings.filter(({ sequence }) => sequence < row.sequence)
  const last = before.findLast(({ purge }) => purge === null)
  const compared = before.filter(({ sequence }) => sequence >= (last?.sequence ?? 0))
  const parent = compared.find((one) => formatVersion(one) === row.parent) ?? before.at(-1)
  const parentDocument = parent?.purge === null ? await readDocument(reads, parent.sequence) : undefined
  const parentDigest = parentDocument ? tryToRead(parsePack, parentDocument)?.pack_digest : null
  const columns = shown && deriveListedColumns(shown)
  return {
    sequence: row.sequence,
    listed: pack,
    lead: row.lead,
    document: bytes,
    pack: document,
    yanked: row.yanked_reason !== null,
    purged: false,
    sourceDigest: row.source_digest,
    provenance,
    signatures: parseSignatures(row),
    damaged: [
      ...(document ? compareDocument(row, document) : []),
      ...(isTime(row.published_at) ? [] : ['versions.published_at']),
      ...(isTime(pack.updated_at) ? [] : ['packs.updated_at']),
      ...compare('versions', row, { parent: parent ? formatVersion(parent) : null }),
      ...(provenance ? [] : ['versions.provenance']),
      ...(provenance && parentDigest !== undefined
        ? compare('versions.provenance', provenance, { parent_digest: parentDigest })
        : []),
      ...(provenance ? compare('versions', row, { source: provenance.source_sha256 }) : []),
      ...compare('packs', pack, {
        number: siblings[0]?.sequence,
        id: derivePackId(pack.slug),
        ...(document && { slug: document.slug }),
        head: living.at(-1)?.sequence,
        latest: latest?.sequence ?? null,
        ...columns,
      }),
    ],
  }
}

/** Names the columns of a purged version that still have text. */
async function examinePurged(
  reads: Queries,
  listed: PackTable,
  row: Omit<VersionTable, 'document'>,
  document: Uint8Array,
): Promise<ExaminedVersion> {
  const { sequence, lead } = row
  const damaged = compare('versions', row, purgedColumns)
  if (document.length > 0) damaged.push('versions.document')
  for (const table of ['outlines', 'section_texts'] as const) {
    const left = reads.selectFrom(table).select('sequence').where('sequence', '=', sequence)
    if ((await left.limit(1).execute()).length > 0) damaged.push(table)
  }
  const nothing = { pack: undefined, provenance: undefined, signatures: [], sourceDigest: '' }
  return { ...nothing, sequence, listed, lead, document, yanked: true, purged: true, damaged }
}

type Sibling = Pick<VersionTable, 'sequence' | 'major' | 'minor' | 'patch' | 'yanked_reason' | 'purge'>

function readSiblings(queries: Queries, pack: number): Promise<Sibling[]> {
  return queries
    .selectFrom('versions')
    .select(['sequence', 'major', 'minor', 'patch', 'yanked_reason', 'purge'])
    .where('pack', '=', pack)
    .orderBy('sequence')
    .execute()
}

async function readDocument(queries: Queries, sequence: number): Promise<Uint8Array> {
  const row = await queries
    .selectFrom('versions')
    .select('document')
    .where('sequence', '=', sequence)
    .executeTakeFirstOrThrow()
  return row.document
}

function tryToRead<Input, Output>(read: (input: Input) => Output, input: Input): Output | undefined {
  try {
    return read(input)
  } catch (error) {
    if (error instanceof PackError || error instanceof CatalogError) return undefined
    throw error
  }
}

function compareDocument(row: Omit<VersionTable, 'document'>, document: Pack): string[] {
  const summary = parseObject(row.summary)
  return [
    ...(summary
      ? listSummaryDifferences(document, summary).map((field) => `versions.summary.${field}`)
      : ['versions.summary']),
    ...compare('versions', row, {
      ...parseVersionNumber(document.version),
      domain_slug: document.domain_slug,
      difficulty: document.difficulty,
    }),
  ]
}

function parseObject(json: string): object | undefined {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

function compare(table: string, row: object, expected: object): string[] {
  const found = new Map<string, unknown>(Object.entries(row))
  return Object.entries(expected)
    .filter(([column, value]) => found.get(column) !== value)
    .map(([column]) => `${table}.${column}`)
}

/** Lists what the catalog stores, for checks of all of it. Damage to a row does not end a list. */
export interface Inventory {
  countVersions(after: number): Promise<number>
  /** Counts packs with a version that is not yanked. */
  countPacks(): Promise<number>
  /** Names versions after a sequence number, yanked ones too, in the order of their commits. */
  versions(after: number, limit: number): Promise<readonly VersionName[]>
  /** Returns the slugs of packs without versions, which only damage can cause. */
  emptyPacks(limit: number): Promise<readonly string[]>
  /** Sources that no version refers to, with their digests. Reading does not keep them longer. */
  waitingSources(after: string, limit: number): Promise<readonly { sha256: string; found: string }[]>
}

export function createInventory({ reads }: Database): Inventory {
  return {
    async countVersions(after) {
      const { count } = await reads
        .selectFrom('versions')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('sequence', '>', after)
        .executeTakeFirstOrThrow()
      return count
    },

    async countPacks() {
      const query = reads.selectFrom('packs').select(({ fn }) => fn.count<number>('latest').as('count'))
      return (await query.executeTakeFirstOrThrow()).count
    },

    async versions(after, limit) {
      const rows = await reads
        .selectFrom('versions')
        .leftJoin('packs', 'packs.number', 'versions.pack')
        .select(['versions.sequence', 'versions.major', 'versions.minor', 'versions.patch', 'packs.slug'])
        .where('versions.sequence', '>', after)
        .orderBy('versions.sequence')
        .limit(limit)
        .execute()
      return rows.map((row) => ({ sequence: row.sequence, slug: row.slug, version: formatVersion(row) }))
    },

    async emptyPacks(limit) {
      const rows = await reads
        .selectFrom('packs')
        .leftJoin('versions', 'versions.pack', 'packs.number')
        .select('packs.slug')
        .where('versions.sequence', 'is', null)
        .limit(limit)
        .execute()
      return rows.map(({ slug }) => slug)
    },

    async waitingSources(after, limit) {
      const rows = await reads
        .selectFrom('sources')
        .select('sha256')
        .where('asked_at', 'is not', null)
        .where('sha256', '>', after)
        .orderBy('sha256')
        .limit(limit)
        .execute()
      const digests: { sha256: string; found: string }[] = []
      for (const { sha256 } of rows) {
        const source = await reads
          .selectFrom('sources')
          .select('bytes')
          .where('sha256', '=', sha256)
          .executeTakeFirst()
        // It may have expired since.
        if (source !== undefined) digests.push({ sha256, found: hash('sha256', source.bytes) })
      }
      return digests
    },
  }
}
