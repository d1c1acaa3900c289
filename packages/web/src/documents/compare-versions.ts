import { openDocument, type CatalogWork, type ThreadWork } from '@packs/catalog'
import { decode, parseRosetta, type RosettaEntry } from '@packs/codec'
import { alignEnds, compareTexts, type TextComparison } from './compare-texts.ts'
import { MAX_CONTENTS, type Scope } from './read-document.ts'

export interface CompareTask {
  /** Sequence numbers of the version before and of the version. */
  readonly sequences: readonly [before: number, after: number]
  readonly scope: Scope
}

/** What only one of two versions has. */
export interface Differences<T> {
  /** The first ones of both. */
  readonly added: readonly T[]
  readonly removed: readonly T[]
  /** How many there are. */
  readonly counts: readonly [added: number, removed: number]
}

/** How two versions differ, as far as the reader may see both. */
export interface VersionComparison extends TextComparison {
  /** Titles of headings; absent if the reader may not see all of them. */
  readonly headings: Differences<string> | undefined
  /** Entries of the header; absent for a reader of previews. */
  readonly entries: Differences<RosettaEntry> | undefined
}

/** Headings, and entries, that a page lists on each side. */
const MAX_LISTED = 100
/**
 * Reads two versions and compares what the reader may see: all of both, or their two previews.
 *
 * @throws CatalogError `catalog_damaged`
 */
export const work: CatalogWork<CompareTask, VersionComparison> = async (
  { packs, search },
  { sequences, scope },
) => {
  const isFull = scope === 'full'
  const read = async (sequence: number) => {
    const version = await packs.read(sequence)
    if (version === undefined) throw new Error('A version that was found no longer exists')
    const pack = openDocument(version)
    const sections = (await search.outline(sequence))?.sections ?? []
    return {
      text: decode(isFull ? pack.content : pack.preview_content, pack.rosetta),
      entries: isFull ? parseRosetta(pack.rosetta).entries : [],
      sections: sections.filter(({ level }) => level > 0),
      isWhole: isFull || pack.content === pack.preview_content,
    }
  }
  const [old, now] = [await read(sequences[0]), await read(sequences[1])]
  const areWhole = old.isWhole && now.isWhole
  const texts = areWhole ? ([old.text, now.text] as const) : alignEnds(old.text, now.text)
  const titles = [old, now].map(({ sections }) => sections.map(({ title }) => title))
  // A contents list shows everybody the first headings. Differences would tell of the others.
  const areListed = isFull || titles.every((list) => list.length <= MAX_CONTENTS)
  return {
    headings: areListed ? listDifferences(titles[0]!, titles[1]!, (title) => title) : undefined,
    entries: isFull ? listDifferences(old.entries, now.entries, nameEntry) : undefined,
    ...compareTexts(...texts, now.sections),
  }
}

export const compareWork: ThreadWork<CompareTask, VersionComparison> = { module: import.meta.url, work }

function nameEntry({ term, expansion }: RosettaEntry): string {
  return `${term}\u0000${expansion}`
}

/** Lists what only one of two lists has, as often as it has more of it. */
function listDifferences<T>(
  before: readonly T[],
  after: readonly T[],
  name: (item: T) => string,
): Differences<T> {
  const subtract = (items: readonly T[], others: readonly T[]): readonly T[] => {
    const counts = new Map<string, number>()
    for (const other of others) counts.set(name(other), (counts.get(name(other)) ?? 0) + 1)
    return items.filter((item) => {
      const left = counts.get(name(item)) ?? 0
      counts.set(name(item), left - 1)
      return left <= 0
    })
  }
  const [added, removed] = [subtract(after, before), subtract(before, after)]
  const counts = [added.length, removed.length] as const
  return { added: added.slice(0, MAX_LISTED), removed: removed.slice(0, MAX_LISTED), counts }
}
