import { CatalogError } from '../catalog-error.ts'
import type { PackTable } from '../database/schema.ts'

/** Says which column of a version cannot be read; what it holds is not told. */
export function refuseDamage(
  column: 'summary' | 'provenance',
  sequence: number,
  cause: unknown,
): CatalogError {
  return createDamaged(`versions.${column} cannot be read in the row of sequence ${sequence}`, cause)
}

/** Says which column of a pack leads to a version that is not there. */
export function refuseDangling(column: 'head' | 'latest', { slug }: Pick<PackTable, 'slug'>): CatalogError {
  return createDamaged(`packs.${column} of ${slug.slice(0, 80)} leads to no version`)
}

function createDamaged(what: string, cause?: unknown): CatalogError {
  return new CatalogError(
    'catalog_damaged',
    `The catalog is damaged: ${what}`,
    'Something else than this program wrote there. Restore a backup of the database.',
    cause === undefined ? undefined : { cause },
  )
}
