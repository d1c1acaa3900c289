import type { Catalog } from '@packs/catalog'
import type { PublishResult } from '../runner.ts'
import { commitVersions } from './commit-versions.ts'
import type { Preparation } from './prepare-version.ts'

/** Commits all members of a release that are not settled already, in one transaction. @throws CatalogError */
export async function commitRelease(
  catalog: Catalog,
  preparations: readonly Preparation[],
): Promise<readonly PublishResult[]> {
  const versions = preparations.flatMap((member) => ('prepared' in member ? [member.prepared] : []))
  const settled = preparations.flatMap((member) => ('result' in member ? [member.result] : []))
  return [...settled, ...(await commitVersions(catalog, versions))]
}
