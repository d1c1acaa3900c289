import {
  CatalogError,
  type Catalog,
  type VersionName,
  type Provenance,
  type ExaminedVersion,
} from '@packs/catalog'
import { loadTokenizer } from '@packs/codec/compress'
import { checkPack } from '@packs/codec/pack'
import type { VersionCheck } from './runner.ts'
import { checkSignatures } from './sign-version.ts'
import { digestSource, hashBytes } from './version-builder/read-source.ts'

export interface CatalogVerifyOptions extends VerifyOptions {
  /** Sequence number of the last version that an earlier run has verified. @default 0 */
  readonly after?: number
  readonly onVersion?: (progress: VerifyProgress) => void
  /** Called for each fault, so that a caller need not keep all of them. */
  readonly onFault?: (fault: CatalogFault) => void
  /** Ends the run after the current version. */
  readonly signal?: AbortSignal
}

export interface VerifyProgress {
  readonly done: number
  /** Versions to verify, as counted at the start. */
  readonly total: number
  readonly sequence: number
}

/** Something that is damaged: a version, a pack without versions, the search index, or a source. */
export interface CatalogFault {
  /** `slug@version`, the slug of a pack, `search index`, or `source SHA-256`. */
  readonly name: string
  /** Of a version. */
  readonly sequence: number | null
  readonly checks: readonly VersionCheck[]
}

export interface CatalogVerification {
  readonly ok: boolean
  /** Whether the run was not ended by the signal. */
  readonly isComplete: boolean
  readonly versions: number
  /** Sources that no version refers to; those of versions are checked with them. */
  readonly waitingSources: number
  readonly faults: number
  /** Sequence number of the last version that was verified. */
  readonly last: number
}

type Report = (fault: CatalogFault) => void

const VERSIONS_PER_QUERY = 200
const SOURCES_PER_QUERY = 100
/** Maximum packs without versions that are reported. */
const MAX_EMPTY_PACKS = 1000

/**
 * Verifies every version with {@link verifyVersion}, looks for packs without versions, and checks
 * the search index and the sources that no version refers to. Damage does not end the run.
 * @throws CatalogError `catalog_unavailable` if the database stops answering
 */
export async function verifyCatalog(
  catalog: Catalog,
  { after = 0, onVersion, onFault, signal }: CatalogVerifyOptions = {},
): Promise<CatalogVerification> {
  const total = await catalog.inventory.countVersions(after)
  const counts = { versions: 0, waitingSources: 0, faults: 0 }
  const report: Report = (fault) => {
    counts.faults += 1
    onFault?.(fault)
  }
  const isEnded = (): boolean => signal?.aborted ?? false
  let last = after
  const damage = await catalog.search.explainDamage()
  if (damage !== undefined) reportIndex([damage], report)
  const searchIndex = damage === undefined
  const terms = new Map<string, number>()
  for await (const name of listVersions(catalog, after)) {
    if (isEnded()) break
    const checks = await verifyNamed(catalog, name, { searchIndex, terms, again: false })
    last = name.sequence
    counts.versions += 1
    const { slug, version, sequence } = name
    const shown = `${slug === null ? `sequence-${sequence}` : slug.slice(0, 100)}@${version}`
    if (checks.length > 0) report({ name: shown, sequence, checks })
    onVersion?.({ done: counts.versions, total, sequence: last })
  }
  if (!isEnded()) {
    const checks = [{ name: 'row', ok: false, message: 'The pack has no versions' }]
    for (const slug of await catalog.inventory.emptyPacks(MAX_EMPTY_PACKS))
      report({ name: slug.slice(0, 100), sequence: null, checks })
    if (searchIndex) reportIndex(await catalog.search.examineTotals(), report)
    counts.waitingSources = await verifyWaitingSources(catalog, report, isEnded)
  }
  return { ...counts, ok: counts.faults === 0, isComplete: !isEnded(), last }
}

/** Reads the names in batches, so that no query holds many of them. */
async function* listVersions({ inventory }: Catalog, after: number): AsyncGenerator<VersionName> {
  for (let last = after; ;) {
    const names = await inventory.versions(last, VERSIONS_PER_QUERY)
    yield* names
    const end = names.at(-1)
    if (end === undefined) return
    last = end.sequence
  }
}

async function verifyNamed(
  catalog: Catalog,
  { slug, version }: VersionName,
  options: VerifyOptions,
): Promise<readonly VersionCheck[]> {
  if (slug === null) return createUnreadable('The pack of the version is missing')
  try {
    const { checks } = await verifyVersion(catalog, slug, version, options)
    return checks.filter(({ ok }) => !ok)
  } catch (error) {
    // A page of the file that cannot be read is damage, unless the whole database is away.
    if (error instanceof CatalogError && error.code === 'catalog_unavailable') await catalog.state()
    const reason = error instanceof Error ? error.message : 'unknown'
    return createUnreadable(`The version cannot be verified: ${reason.slice(0, 160)}`)
  }
}

function createUnreadable(message: string): VersionCheck[] {
  const hint = 'Another program has changed the database, or its disk fails: restore a backup.'
  return [{ name: 'row', ok: false, message, hint }]
}

function reportIndex(damaged: readonly string[], report: Report): void {
  const check = checkIndex(damaged)
  if (!check.ok) report({ name: 'search index', sequence: null, checks: [check] })
}

async function verifyWaitingSources(
  { inventory }: Catalog,
  report: Report,
  isEnded: () => boolean,
): Promise<number> {
  let count = 0
  for (let after = ''; !isEnded();) {
    const sources = await inventory.waitingSources(after, SOURCES_PER_QUERY)
    for (const { sha256, found } of sources) {
      if (sha256 === found) continue
      const message = `The digest of the source differs from its key: ${found}`
      const name = `source ${sha256.slice(0, 64)}`
      report({ name, sequence: null, checks: [{ name: 'source', ok: false, message }] })
    }
    count += sources.length
    const last = sources.at(-1)
    if (last === undefined) break
    after = last.sha256
  }
  return count
}

export interface Verification {
  readonly ok: boolean
  readonly yanked: boolean
  /** Then all that is checked is that it has no text. */
  readonly purged: boolean
  readonly checks: readonly VersionCheck[]
  /** Recorded codec version; `null` if it cannot be read. */
  readonly codecVersion: string | null
}

export interface VerifyOptions {
  /** Whether to check what the search index has of the version. @default true */
  readonly searchIndex?: boolean
  /** Numbers of terms that were read for other versions, to which this adds. @default none */
  readonly terms?: Map<string, number>
  /** Whether to do again what the commit has checked: `again` of `checkPack`. @default true */
  readonly again?: boolean
}

/**
 * Checks the document, the columns derived from it, its part of the index, and its source.
 * @throws CatalogError `unknown_version`
 */
export async function verifyVersion(
  catalog: Catalog,
  slug: string,
  version: string,
  { searchIndex = true, terms, again = true }: VerifyOptions = {},
): Promise<Verification> {
  const examined = await catalog.packs.examine(slug, version)
  if (examined === undefined) {
    const hint = 'Check the slug and the version number.'
    throw new CatalogError('unknown_version', `The catalog has no ${slug}@${version}`, hint)
  }
  const { document, pack = document, provenance, yanked, purged } = examined
  if (purged) {
    const row = checkRows(examined)
    return { ok: row.ok, yanked, purged, checks: [row], codecVersion: null }
  }
  // A stored document is whole: what is not checked is missing.
  const checks: VersionCheck[] = (await checkPack(pack, { loadTokenizer, again })).map(
    ({ name, ok, skipped, message }) => {
      return { name, ok: ok && !skipped, message }
    },
  )
  checks.push(checkRows(examined))
  checks.push(...(await checkSignatures(examined)))
  if (searchIndex) checks.push(checkIndex(await examineIndex(catalog, slug, version, examined, terms)))
  if (provenance) {
    const { source_sha256, given } = provenance
    const tables = given?.tables === undefined ? undefined : await catalog.sources.get(given.tables)
    const stored = { bytes: await catalog.sources.get(source_sha256), tables }
    checks.push(...checkSource(stored, provenance, examined.sourceDigest))
  }
  return {
    ok: checks.every(({ ok }) => ok),
    yanked,
    purged,
    checks,
    codecVersion: provenance?.codec_version ?? null,
  }
}

/** What a version was built from; `undefined` if it is no longer in the catalog. */
interface Stored {
  readonly bytes: Uint8Array | undefined
  readonly tables: Uint8Array | undefined
}

function checkRows({ damaged, sequence, purged }: ExaminedVersion): VersionCheck {
  const name = 'row'
  if (damaged.length === 0)
    return {
      name,
      ok: true,
      message: purged
        ? 'It was purged, and has no text'
        : 'The catalog rows agree with the document and with each other',
    }
  const differ = purged
    ? 'A purged version still has text'
    : 'The catalog rows differ from what was committed'
  const message = `${differ}: ${damaged.join(', ')} (sequence ${sequence})`
  const hint = 'Another program has changed the database: restore a backup.'
  return { name, ok: false, message, hint }
}

/** The names of what differs, or the database's message if the index cannot be read. */
async function examineIndex(
  { search }: Catalog,
  ...named: Parameters<Catalog['search']['examine']>
): Promise<readonly string[]> {
  try {
    return await search.examine(...named)
  } catch (error) {
    const reason = await search.explainDamage()
    if (reason !== undefined) return [reason]
    throw error
  }
}

/** @param damaged what differs, as `catalog.search` names it */
export function checkIndex(damaged: readonly string[]): VersionCheck {
  const name = 'search_index'
  if (damaged.length === 0) return { name, ok: true, message: 'The search index agrees with the document' }
  const message = `The search index differs from what its packs give: ${damaged.join(', ')}`
  return {
    name,
    ok: false,
    message,
    hint: 'Stop all servers and workers, then run `pack index`, which makes the index from the packs.',
  }
}

function checkSource(stored: Stored, provenance: Provenance, sourceDigest: string): VersionCheck[] {
  const { bytes, tables } = stored
  const { source_sha256, options, given } = provenance
  const checks = [checkStored(bytes, source_sha256, 'source', 'source')]
  if (given?.tables !== undefined)
    checks.push(checkStored(tables, given.tables, 'tables', 'glossary and map of front matter keys'))
  if (bytes === undefined) return checks
  const ok = digestSource(bytes, options, given) === sourceDigest
  const message = `The digest of source and settings ${ok ? 'matches' : 'differs from'} the recorded one`
  return [...checks, { name: 'source_digest', ok, message }]
}

function checkStored(
  bytes: Uint8Array | undefined,
  digest: string,
  name: string,
  what: string,
): VersionCheck {
  if (bytes === undefined) return { name, ok: false, message: `The ${what} is no longer in the catalog` }
  const found = hashBytes(bytes)
  if (found === digest) return { name, ok: true, message: `The ${what} matches the recorded digest` }
  return { name, ok: false, message: `The digest of the ${what} differs from the recorded one: ${found}` }
}
