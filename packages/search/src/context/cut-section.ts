import { type TextDivider, createDivider, type PartBlock } from '@packs/codec/internal'
import type { ReadingScope } from '../analysis/terms.ts'
import { findHeadingEnd, findMatches, type Match } from '../text/match-text.ts'

/** Weights of the terms of a question, and the reader for whom they were looked up. */
export interface QuestionTerms {
  readonly terms: ReadonlyMap<string, number>
  readonly scope: ReadingScope
}

/** A section that is cut to what matches. */
export interface OpenedSection {
  /**
   * Cuts the section to its heading and the parts with most terms of the question, with their
   * surroundings; without any, to its start. `undefined` if no part fits.
   * @param length of the result, at most, in UTF-16 units
   */
  readonly cut: (length: number) => string | undefined
}

/** A part of a section, and the terms of the question in it. */
interface WeighedBlock extends PartBlock {
  readonly index: number
  readonly terms: ReadonlySet<string>
}

/** Parts are not shorter, in UTF-16 units. */
const LEAST_PART = 160
/** Shares of the room that a part may take: smaller ones if terms are missing otherwise. */
const PARTS = [1 / 2, 1 / 6]
/** Longest heading that a cut section keeps whole. */
const MAX_HEADING = 200

export function openSection(section: string, { terms, scope }: QuestionTerms): OpenedSection {
  const start = findHeadingEnd(section)
  const body = section.slice(start)
  const heading = section.slice(0, start).trim()
  const matches = findMatches(body, terms, scope).flatMap((match) => divideMatch(body, match, terms, scope))
  let opened: TextDivider | undefined
  const all = weighTerms(
    matches.flatMap((match) => match.terms),
    terms,
  )
  const cut = (length: number): string | undefined => {
    opened ??= createDivider(body)
    const short = heading.length <= MAX_HEADING ? heading : `${heading.slice(0, MAX_HEADING / 2)} […]`
    const before = short === '' ? '' : `${short}\n\n`
    const room = length - before.length
    let chosen: readonly WeighedBlock[] = []
    let most = -1
    for (const share of PARTS) {
      const parts = opened.divide(Math.max(share * room, LEAST_PART), matches)
      const found = chooseBlocks(weighBlocks(parts, matches), room, terms)
      const weight = weighTerms(
        found.flatMap((block) => [...block.terms]),
        terms,
      )
      if (weight > most) [chosen, most] = [found, weight]
      if (weight === all || share * room < LEAST_PART) break
    }
    for (let count = chosen.length; count > 0; count--) {
      const shown = chosen.slice(0, count).toSorted((a, b) => a.index - b.index)
      const written = before + trimLines(opened.write(shown, room / 4))
      if (written.length <= length) return written
    }
    return undefined
  }
  return { cut }
}

/** Words of more UTF-16 units are searched for the parts that match, as in minified code. */
const MAX_WORD = 100

function divideMatch(
  text: string,
  match: Match,
  terms: ReadonlyMap<string, number>,
  scope: ReadingScope,
): readonly Match[] {
  if (match.end - match.start <= MAX_WORD) return [match]
  const parts = [...text.slice(match.start, match.end).matchAll(/[^._:-]{1,100}/g)]
  return parts.flatMap(({ 0: part, index }) =>
    findMatches(part, terms, scope).map((found) => {
      const from = match.start + index
      return { ...found, start: from + found.start, end: from + found.end }
    }),
  )
}

/** Removes blank lines at the start, and white space at the end. */
export function trimLines(text: string): string {
  return text.replace(/^(?:[^\S\n]*\n)+/, '').trimEnd()
}

function weighTerms(found: readonly string[], weights: ReadonlyMap<string, number>): number {
  return [...new Set(found)].toSorted().reduce((sum, term) => sum + (weights.get(term) ?? 0), 0)
}

function weighBlocks(parts: readonly PartBlock[], matches: readonly Match[]): readonly WeighedBlock[] {
  let next = 0
  return parts.map((part, index) => {
    const terms = new Set<string>()
    for (; next < matches.length && matches[next]!.start < part.end; next++)
      for (const term of matches[next]!.terms) terms.add(term)
    return { ...part, index, terms }
  })
}

/** Chooses the blocks with the most weight of terms, then those around them, as many as fit. */
function chooseBlocks(
  blocks: readonly WeighedBlock[],
  most: number,
  weights: ReadonlyMap<string, number>,
): readonly WeighedBlock[] {
  const chosen = new Set<WeighedBlock>()
  const covered = new Set<string>()
  let left = most
  const take = (block: WeighedBlock | undefined): void => {
    if (block === undefined || chosen.has(block) || block.end - block.start > left) return
    chosen.add(block)
    left -= block.end - block.start
    for (const term of block.terms) covered.add(term)
  }
  const rate = ({ terms, start, end }: WeighedBlock): number => {
    let weight = 0
    for (const term of terms) weight += (covered.has(term) ? 0.2 : 1) * (weights.get(term) ?? 0)
    return weight / (end - start + 200)
  }
  const rated = blocks.filter(({ terms }) => terms.size > 0)
  // Rates change only when a term is covered first, so that a long section is sorted a few times.
  for (let before = -1; before < covered.size;) {
    before = covered.size
    const rates = new Map(rated.map((block) => [block, rate(block)]))
    for (const block of rated.toSorted((a, b) => rates.get(b)! - rates.get(a)!)) {
      take(block)
      if (before < covered.size) break
    }
  }
  // If only the heading matches, the section is read from its start.
  if (rated.length === 0) take(blocks[0])
  // A match is read with the lines before it. What follows belongs to it more often than what precedes it.
  for (const { index } of [...chosen].filter(({ isInside }) => isInside)) take(blocks[index - 1])
  for (const { index } of blocks) if (index > 0 && chosen.has(blocks[index - 1]!)) take(blocks[index])
  for (const { index } of blocks.toReversed()) if (chosen.has(blocks[index]!)) take(blocks[index - 1])
  return [...chosen]
}
