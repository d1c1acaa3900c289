import { chooseTag, cleanAttribute } from '@packs/codec/sections'
import type { FoundPack, FoundSection } from '../store.ts'
import type { Sized } from './choose-passages.ts'
import type { ContextOptions } from './types.ts'

/** The name of the tags, with letters that look like those of it. */
const PASSAGE = 'p\u0440a\u0430s\u0455s\u0455a\u0430g\u0261e\u0435'

/** A passage of an answer: a section, or adjacent sections of a pack. */
export interface WrittenPassage {
  readonly pack: FoundPack
  readonly sections: readonly FoundSection[]
  /** Titles of the headings that all its sections have above them, or are. */
  readonly path: readonly string[]
  readonly score: number
  /** The passage in its tags. */
  readonly text: string
}

interface FittedPassages {
  readonly chosen: readonly Sized[]
  readonly passages: readonly WrittenPassage[]
  /** If none fits, the tokens that the smallest takes. */
  readonly needed: number | null
}

/**
 * Writes chosen sections. Their tokens are estimates, so those that were chosen last leave until
 * the text fits the budget; if none is left, the first other passage that fits is written.
 *
 * @param others passages to try by themselves, best first
 */
export function fitPassages(
  sized: readonly Sized[],
  others: Iterable<Sized>,
  { budget, measure }: Pick<ContextOptions, 'budget' | 'measure'>,
): FittedPassages {
  for (let chosen = sized; chosen.length > 0; chosen = chosen.slice(0, -1)) {
    const passages = writePassages(chosen)
    if (measure(joinTexts(passages)) <= budget) return { chosen, passages, needed: null }
  }
  let needed: number | null = null
  for (const other of others) {
    const passages = writePassages([other])
    const tokens = measure(joinTexts(passages))
    if (tokens <= budget) return { chosen: [other], passages, needed: null }
    needed = Math.min(needed ?? tokens, tokens)
  }
  return { chosen: [], passages: [], needed }
}

export function joinTexts(passages: readonly WrittenPassage[]): string {
  return passages.map(({ text }) => text).join('')
}

interface Joined {
  readonly parts: readonly Sized[]
  readonly text: string
}

/**
 * Writes chosen sections: packs in the order of their best section, those of a pack in the order of
 * the document, adjacent ones joined.
 */
function writePassages(chosen: readonly Sized[]): readonly WrittenPassage[] {
  const groups = [...Map.groupBy(chosen, ({ pack }) => pack.number).values()]
  const best = (group: readonly Sized[]): number => Math.max(...group.map(({ score }) => score))
  const compare = (a: readonly Sized[], b: readonly Sized[]): number =>
    best(b) - best(a) || (a[0]!.pack.slug < b[0]!.pack.slug ? -1 : 1)
  const joined = groups.toSorted(compare).flatMap(joinAdjacent)
  const texts = frameTexts(joined.map(({ parts, text }) => ({ attributes: describe(parts), text })))
  return joined.map(({ parts }, index) => ({
    pack: parts[0]!.pack,
    sections: parts.map(({ section }) => section),
    path: findCommonPath(parts),
    score: best(parts),
    text: texts[index]!,
  }))
}

/** A text, and what its tag says of it. */
export interface TaggedText {
  readonly attributes: Readonly<Record<string, string>>
  readonly text: string
}

/** Writes each text in tags that none of the texts can close or open. */
export function frameTexts(parts: readonly TaggedText[]): readonly string[] {
  const names = parts.map(({ attributes }) =>
    Object.entries(attributes)
      .map(([name, value]) => `${name}="${cleanAttribute(value)}"`)
      .join(' '),
  )
  const tag = chooseTag(PASSAGE, [...names, ...parts.map(({ text }) => text)].join('\n'))
  return parts.map(({ text }, at) => `<${tag} ${names[at]}>\n${text}\n</${tag}>\n`.toWellFormed())
}

/** Joins sections that follow one another. A section that was cut stays alone. */
function joinAdjacent(group: readonly Sized[]): Joined[] {
  const joined: { parts: Sized[]; text: string }[] = []
  for (const part of group.toSorted((a, b) => a.ordinal - b.ordinal)) {
    const last = joined.at(-1)
    const before = last?.parts.at(-1)
    if (last !== undefined && before!.ordinal + 1 === part.ordinal && !before!.isCut && !part.isCut) {
      last.parts.push(part)
      last.text += part.text
    } else joined.push({ parts: [part], text: part.text })
  }
  return joined.map(({ parts, text }) => ({ parts, text: trimLines(text) }))
}

function findCommonPath([first, ...others]: readonly Sized[]): readonly string[] {
  const { path } = first!.section
  const isCommon = (title: string, at: number): boolean =>
    others.every(({ section }) => section.path[at] === title)
  const end = path.findIndex((title, at) => !isCommon(title, at))
  return end < 0 ? path : path.slice(0, end)
}

function describe(parts: readonly Sized[]): TaggedText['attributes'] {
  const { pack } = parts[0]!
  return {
    pack: pack.slug,
    version: pack.version,
    section: parts.map((part) => part.section.id).join(' '),
    path: findCommonPath(parts).join(' › ') || pack.title,
  }
}

/** Removes blank lines at the start, and white space at the end. */
export function trimLines(text: string): string {
  return text.replace(/^(?:[^\S\n]*\n)+/, '').trimEnd()
}
