import type { OutlinedSection } from '@packs/codec/sections'
import type { Outline } from '../search-index/describe-version.ts'

/** How far an outline is open to a reader of the preview. */
interface OutlineSize {
  /** Offset of the decoded body where the preview ends, in UTF-16 units. */
  readonly preview: number
  /** All sections. */
  readonly total: number
  /** Sections that lie wholly in the preview: the first ones. */
  readonly open: number
}

/** Some of the sections of a version, in order. */
export interface OutlinePage extends OutlineSize {
  readonly sections: readonly OutlinedSection[]
}

export interface SectionLookup extends OutlineSize {
  /** `undefined` if no section has the id. */
  readonly section: OutlinedSection | undefined
  /** Ids that are most like an unknown one, at most three, the nearest first. */
  readonly nearest: readonly string[]
}

/** Returns a page of an outline, which may have a million sections. */
export function pageOutline(outline: Outline, offset: number, limit: number): OutlinePage {
  return { ...measureOutline(outline), sections: outline.sections.slice(offset, offset + limit) }
}

export function lookUpSection(outline: Outline, id: string): SectionLookup {
  const section = outline.sections.find((other) => other.id === id)
  const nearest = section === undefined ? findNearestIds(outline.sections, id) : []
  return { ...measureOutline(outline), section, nearest }
}

function measureOutline({ preview, sections }: Outline): OutlineSize {
  const closed = sections.findIndex(({ end }) => end > preview)
  return { preview, total: sections.length, open: closed < 0 ? sections.length : closed }
}

/** Ids that are compared with an unknown one. */
const MAX_COMPARED = 5000
const MAX_NEAREST = 3
/** Ids of which a smaller part is the same are not alike. */
const MIN_LIKENESS = 0.4

function findNearestIds(sections: readonly OutlinedSection[], unknown: string): readonly string[] {
  const wanted = listPairs(unknown.slice(0, 200))
  return sections
    .slice(0, MAX_COMPARED)
    .map(({ id }) => ({ id, likeness: compareIds(wanted, listPairs(id)) }))
    .filter(({ likeness }) => likeness >= MIN_LIKENESS)
    .toSorted((a, b) => b.likeness - a.likeness)
    .slice(0, MAX_NEAREST)
    .map(({ id }) => id)
}

/** Returns the pairs of neighboring characters, whatever the case. */
function listPairs(id: string): ReadonlySet<string> {
  const characters = Array.from(` ${id.toLowerCase()} `)
  return new Set(characters.slice(1).map((character, at) => `${characters[at]}${character}`))
}

/** The Sørensen-Dice coefficient: from 0 for nothing in common to 1. */
function compareIds(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let common = 0
  for (const pair of a) if (b.has(pair)) common += 1
  return (2 * common) / (a.size + b.size)
}
