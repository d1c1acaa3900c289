import { CodecError } from '@packs/codec'
import { CatalogError } from '../catalog-error.ts'
import type { Queries } from '../database/schema.ts'
import { describeVersion, outlinePack, type DescribedVersion } from '../search-index/describe-version.ts'
import { encodeOutline } from '../search-index/outline-data.ts'
import type { Outline } from '../search-index/outline-data.ts'
import { readBySequence } from './read-versions.ts'
import { damagedError, openDocument } from './version-row.ts'

/**
 * Describes a stored version for the index; `undefined` if there is none.
 *
 * @throws CatalogError `catalog_damaged`
 */
export function describeStored(queries: Queries, sequence: number): Promise<DescribedVersion | undefined> {
  return openStored(queries, sequence, describeVersion)
}

/** Finds the sections of a stored version; `undefined` if there is none. @throws CatalogError `catalog_damaged` */
export async function outlineStored(
  queries: Queries,
  sequence: number,
): Promise<{ readonly outline: Outline; readonly data: string } | undefined> {
  const found = await openStored(queries, sequence, outlinePack)
  if (found === undefined) return undefined
  const { preview, sections } = found
  const outline = { preview, sections }
  return { outline, data: encodeOutline(outline) }
}

async function openStored<T>(
  queries: Queries,
  sequence: number,
  read: (pack: ReturnType<typeof openDocument>) => Promise<T>,
): Promise<T | undefined> {
  const version = await readBySequence(queries, sequence)
  if (version === undefined) return undefined
  const pack = openDocument(version)
  try {
    return await read(pack)
  } catch (error) {
    if (!(error instanceof CodecError)) throw error
    throw damagedError(`versions.document cannot be decoded in the row of sequence ${sequence}`, {
      cause: error,
      damaged: { slug: version.slug, version: version.version },
    })
  }
}

/** Describes a stored version for the index; `undefined` if there is none, or it is damaged. */
export async function tryToDescribeStored(
  queries: Queries,
  sequence: number,
): Promise<DescribedVersion | undefined> {
  try {
    return await describeStored(queries, sequence)
  } catch (error) {
    if (error instanceof CatalogError && error.code === 'catalog_damaged') return undefined
    throw error
  }
}
