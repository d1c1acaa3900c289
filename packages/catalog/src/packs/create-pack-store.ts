import type { ResultCache } from '../database/loading-cache.ts'
import type { Actor } from '../audit/create-audit-store.ts'
import { type Database, type Method, cleanText, readSequence } from '../database/database.ts'
import type { NewVersion, PackPage, PackQuery, YankedVersion } from '../types.ts'
import { examineVersion } from './examine-version.ts'
import { commitVersions } from './commit-versions.ts'
import { findPack, findVersion } from './pack-row.ts'
import { listChanges, countDomains, countPacks, listPacks } from './list-packs.ts'
import {
  findRecord,
  listPurges,
  readBySequence,
  readHead,
  readHistory,
  readLatest,
  readOneVersion,
} from './read-versions.ts'
import { parseProvenance } from './version-row.ts'
import { yankVersion } from './change-version.ts'
import { listOutdated, purgeVersions } from './purge-versions.ts'

/** Packs and their versions. A method without a comment does what its function says. */
export interface PackStore {
  readonly head: Method<typeof readHead>
  readonly commit: Method<typeof commitVersions>
  /** Hides a version from list, search and latest. A different reason replaces the earlier one. */
  yank(slug: string, version: string, reason: string, actor: Actor): Promise<YankedVersion>
  /** Shows a yanked version again; does nothing to one that is not yanked. */
  undoYank(slug: string, version: string, actor: Actor): Promise<YankedVersion>
  readonly purge: Method<typeof purgeVersions>
  readonly outdated: Method<typeof listOutdated>
  readonly purges: Method<typeof listPurges>
  readonly latest: Method<typeof readLatest>
  readonly version: Method<typeof readOneVersion>
  readonly find: Method<typeof findRecord>
  readonly read: Method<typeof readBySequence>
  provenance(
    idOrSlug: string,
    version: string,
  ): Promise<(NewVersion['provenance'] & { sourceDigest: string }) | undefined>
  readonly examine: Method<typeof examineVersion>
  readonly versions: Method<typeof readHistory>
  /** Lists packs, by default by title (NFKC, lower case, by code point), then id. */
  list(query: PackQuery): Promise<PackPage>
  readonly changes: Method<typeof listChanges>
  readonly domains: Method<typeof countDomains>
}

/** @param results keeps counts of lists, which cost more than reading their pages */
export function createPackStore(database: Database, results: ResultCache): PackStore {
  const { reads } = database
  const cached = async <T extends object | number>(key: string, load: () => Promise<T>): Promise<T> =>
    results.obtain(key, await readSequence(reads), load)
  return {
    head: (slug) => readHead(reads, slug),
    commit: (versions) => commitVersions(database, versions),
    yank: (slug, version, reason, actor) =>
      yankVersion(database, { slug, version, reason: cleanText(reason), actor }),
    undoYank: (slug, version, actor) => yankVersion(database, { slug, version, reason: null, actor }),
    purge: (purge) => purgeVersions(database, { ...purge, reason: cleanText(purge.reason) }),
    outdated: (query) => listOutdated(database, query),
    purges: (query) => listPurges(reads, query),
    latest: (idOrSlug) => readLatest(reads, idOrSlug),
    find: (idOrSlug, version) => findRecord(reads, idOrSlug, version),
    read: (sequence) => readBySequence(reads, sequence),
    version: (idOrSlug, version) => readOneVersion(reads, idOrSlug, version),
    async provenance(idOrSlug, version) {
      const pack = await findPack(reads, idOrSlug)
      const row = pack && (await findVersion(reads, pack, version))
      if (row === undefined || row.purge !== null) return undefined
      return { ...parseProvenance(row), sourceDigest: row.source_digest }
    },
    examine: (slug, version) => examineVersion(database, slug, version),
    versions: (idOrSlug) => readHistory(reads, idOrSlug),
    async list(query) {
      const { limit: _limit, offset: _offset, after: _after, order: _order, ...filters } = query
      const total = await cached(`total ${JSON.stringify(filters)}`, () => countPacks(database, filters))
      return { ...(await listPacks(database, query)), total }
    },
    changes: (query) => listChanges(database, query),
    domains: () => cached('domains', () => countDomains(database)),
  }
}
