import type { PackStore } from '../catalog.ts'
import type { Database } from '../database/dialect.ts'
import { cleanText } from '../database/clean-text.ts'
import { auditVersion } from './audit-version.ts'
import { readSequence } from './change-catalog.ts'
import { commitVersions } from './commit-versions.ts'
import { createAnswerCache } from './create-answer-cache.ts'
import { findPack, findVersion } from './find-pack.ts'
import { listChanges } from './list-changes.ts'
import { countDomains, countPacks, listPacks } from './list-packs.ts'
import { parseProvenance } from './parse-provenance.ts'
import { readHead, readHistory, readLatest, readOneVersion } from './read-versions.ts'
import { yankVersion } from './yank-version.ts'

/** Packs and their versions in a database. */
export function createPackStore(database: Database): PackStore {
  const { reads } = database
  const remember = createAnswerCache(() => readSequence(reads))
  return {
    head: (slug) => readHead(reads, slug),
    commit: (versions) => commitVersions(database, versions),
    yank: (slug, version, reason) => yankVersion(database, slug, version, cleanText(reason)),
    undoYank: (slug, version) => yankVersion(database, slug, version, null),
    latest: (idOrSlug) => readLatest(reads, idOrSlug),
    version: (idOrSlug, version) => readOneVersion(reads, idOrSlug, version),
    async provenance(idOrSlug, version) {
      const pack = await findPack(reads, idOrSlug)
      const row = pack && (await findVersion(reads, pack, version))
      return row && { ...parseProvenance(row), sourceDigest: row.source_digest }
    },
    audit: (slug, version) => auditVersion(database, slug, version),
    versions: (idOrSlug) => readHistory(reads, idOrSlug),
    async list(query) {
      const { limit: _limit, offset: _offset, order: _order, ...filters } = query
      const total = await remember(`total ${JSON.stringify(filters)}`, () => countPacks(database, filters))
      return { packs: await listPacks(database, query), total }
    },
    changes: (query) => listChanges(database, query),
    domains: () => remember('domains', () => countDomains(database)),
  }
}
