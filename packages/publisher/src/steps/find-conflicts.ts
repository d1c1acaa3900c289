import { CatalogError, type Catalog } from '@packs/catalog'
import type { PublishRequest } from '../runner.ts'

/** Gives the error of each request that names a version which another source has, by slug. @throws CatalogError */
export async function findConflicts(
  catalog: Catalog,
  requests: readonly PublishRequest[],
): Promise<Map<string, CatalogError>> {
  const conflicts = new Map<string, CatalogError>()
  for (const { source, sourceDigest } of requests) {
    const { slug, version } = source
    if (version === undefined) continue
    const taken = await catalog.packs.provenance(slug, version)
    if (taken && taken.sourceDigest !== sourceDigest) conflicts.set(slug, createConflict(slug, version))
  }
  return conflicts
}

function createConflict(slug: string, version: string): CatalogError {
  return new CatalogError(
    'version_conflict',
    `${slug}@${version} was published before, from another source`,
    'A version is written once: name a higher one, or none to have it decided.',
  )
}
