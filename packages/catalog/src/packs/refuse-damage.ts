import { CatalogError } from '../catalog-error.ts'

/** Says which column of a version cannot be read; what it holds is not told. */
export function refuseDamage(
  column: 'summary' | 'provenance',
  sequence: number,
  cause: unknown,
): CatalogError {
  return new CatalogError(
    'catalog_damaged',
    `The catalog is damaged: versions.${column} cannot be read in the row of sequence ${sequence}`,
    'Something else than this program wrote there. Restore a backup of the database.',
    { cause },
  )
}
