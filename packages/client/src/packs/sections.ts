import { shapeOfPackSection } from '@packs/codec/verify'
import { type ClientError, createError, invalidResponseError } from '../client-error.ts'
import { type Connection, load } from '../requests/load.ts'
import { jsonResource, outlineShape, writePath } from '../requests/shapes.ts'
import type { PackSection } from '../generated/responses.ts'
import type { CallOptions, Outline, OutlineSection, Section, SectionOptions } from '../types.ts'
import { loadNamed, resolveName } from './named-packs.ts'
import { checkIdentity, PACK_LIMIT, proveContent, writePackPath } from './pack-resource.ts'

interface OutlinePage {
  readonly data: readonly OutlineSection[]
  readonly meta: { readonly slug: string; readonly version: string; readonly next: string | null }
}

/** Most pages of an outline, of 1,000 sections. */
const MAX_OUTLINE_PAGES = 1000

/** Returns the outline of a pack. @throws {ClientError} @throws {VersionError} */
export async function getOutline(
  connection: Connection,
  name: string,
  options?: CallOptions,
): Promise<Outline> {
  let [wanted, freshness] = await resolveName(connection, name, options)
  const sections: OutlineSection[] = []
  for (let page = 1; page <= MAX_OUTLINE_PAGES; page++) {
    const asked = wanted
    const path = writePath(`${writePackPath(asked)}/sections`, { page })
    const check = ({ meta }: OutlinePage): void => checkIdentity(asked, meta)
    const resource = jsonResource(path, outlineShape, check)
    const { data, meta, ...joined } = await load(connection, resource, options, freshness)
    const { slug, version, next } = meta
    // Later pages are of the same version, also if a newer one is published meanwhile.
    wanted = { ...asked, version }
    freshness = joined
    for (const section of data) sections.push(section)
    if (next === null) return { slug, version, sections, ...joined }
  }
  throw createError('response_too_large', `The response is larger than ${MAX_OUTLINE_PAGES} pages`)
}

/** Returns a section of a pack. @throws {ClientError} @throws {VersionError} */
export async function getSection(
  connection: Connection,
  name: string,
  section: string,
  options: SectionOptions = {},
): Promise<Section> {
  const asked = String(section).toWellFormed()
  // These would make another path.
  if (/^\.{0,2}$/.test(asked)) throw sectionNotFoundError()
  const query = { subtree: options.subtree || undefined }
  const { pack, id, ...rest } = await loadNamed(
    connection,
    name,
    (wanted) => {
      const path = writePath(`${writePackPath(wanted)}/sections/${encodeURIComponent(asked)}`, query)
      const resource = jsonResource<PackSection>(path, shapeOfPackSection, async (found) => {
        checkIdentity(wanted, { slug: found.pack, version: found.version })
        if (found.id !== asked) throw invalidResponseError('it is about another section')
        await proveContent(found)
      })
      return { ...resource, limit: PACK_LIMIT }
    },
    options,
  )
  return { ...rest, slug: pack, section: id }
}

/** Creates the error for a section that a pack does not have. */
export function sectionNotFoundError(): ClientError {
  return createError('section_not_found', 'No section has this id')
}
