import { listSimilarPacks, type SectionReader, type VersionRecord } from '@packs/catalog'
import { chooseVersion, parsePackName, parseRange, VersionError } from '@packs/codec/verify'
import type { WebPorts } from '../../ports.ts'
import type { Scope } from '../../documents/read-document.ts'
import type { PromptSection } from '../../prompts/compose-page-prompt.ts'
import type { PromptQuery } from './parse-prompt-query.ts'

/** Something that a URL names and that does not exist. */
export interface UnknownPart {
  readonly name: string
  /** What is wrong, as a sentence. */
  readonly problem: string
  /** Names that are most like it. */
  readonly similar: readonly string[]
}

/** A pack or section that a URL names. */
export interface FoundPart {
  readonly kind: 'pack' | 'section'
  readonly name: string
  readonly version: VersionRecord
  /** The section, if it is one. */
  readonly section?: FoundSection
}

interface FoundSection extends PromptSection {
  readonly id: string
  readonly path: readonly string[]
  /** Whether it ends within the preview. */
  readonly isOpen: boolean
}

export interface Parts {
  /** Packs, then sections, each in the order of the URL. */
  readonly found: readonly FoundPart[]
  readonly unknown: readonly UnknownPart[]
}

interface PartSources {
  readonly ports: Pick<WebPorts, 'catalog'>
  readonly sections: SectionReader
}

/**
 * Finds the versions and sections that a query names.
 *
 * @param owner account or network: owners take turns
 */
export async function findParts(
  { ports, sections }: PartSources,
  query: Pick<PromptQuery, 'packs' | 'sections'>,
  owner: string,
): Promise<Parts> {
  const found: FoundPart[] = []
  const unknown: UnknownPart[] = []
  const reader = sections.for(owner)
  for (const name of query.packs) {
    const version = await findVersion(ports, name)
    if ('problem' in version) unknown.push(version)
    else found.push({ kind: 'pack', name, version })
  }
  for (const name of query.sections) {
    const slash = name.indexOf('/')
    const id = slash < 0 ? '' : name.slice(slash + 1)
    const version = await findVersion(ports, slash < 0 ? name : name.slice(0, slash))
    if ('problem' in version) {
      unknown.push({ ...version, name, similar: [] })
      continue
    }
    const { section, nearest = [], preview = 0 } = (await reader.find(version.sequence, id)) ?? {}
    if (section === undefined) {
      const problem = `The pack ${version.slug} has no section “${id.slice(0, 80)}”.`
      unknown.push({ name, problem, similar: nearest.map((other) => `${version.slug}/${other}`) })
      continue
    }
    const { start, end, title, path } = section
    const isOpen = end <= preview
    found.push({
      kind: 'section',
      name,
      version,
      section: { sequence: version.sequence, id, title, path, start, end, isOpen },
    })
  }
  return { found, unknown }
}

/** Returns the parts that the visitor may see. */
export function selectVisible({ found }: Parts, scope: Scope): readonly FoundPart[] {
  return found.filter(({ section }) => scope === 'full' || section === undefined || section.isOpen)
}

/** Finds the newest version that a name means, or tells what is wrong with the name. */
async function findVersion(
  { catalog: { packs } }: PartSources['ports'],
  name: string,
): Promise<VersionRecord | UnknownPart> {
  try {
    const { pack, range } = parsePackName(name)
    const version = range === undefined ? undefined : findInRange(await packs.versions(pack), range)
    const found = range === undefined || version !== undefined ? await packs.find(pack, version) : undefined
    if (found !== undefined) return found
    const similar = await listSimilarPacks(packs, pack)
    const isKnown = range !== undefined && (await packs.find(pack)) !== undefined
    return isKnown
      ? { name, problem: `The pack ${pack} has no version ${range}.`, similar: [pack] }
      : { name, problem: `There is no pack “${pack}”.`, similar }
  } catch (error) {
    if (!(error instanceof VersionError)) throw error
    return {
      name,
      problem: `“${name.slice(0, 80)}” is not the name of a pack, such as tls-certificates.`,
      similar: [],
    }
  }
}

function findInRange(versions: Parameters<typeof chooseVersion>[0], range: string): string | undefined {
  return parseRange(range).exact ?? chooseVersion(versions, range)?.version
}
