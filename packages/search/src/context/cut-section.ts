import { splitBlocks } from '@packs/codec/sections'
import { deriveTerms, type ReadingScope, visitWords } from '../analysis/terms.ts'
import { findHeadingEnd } from '../text/match-text.ts'
import { trimLines } from './write-passages.ts'

/** Marks where parts of a section are omitted. */
const OMISSION = '[…]'

/** The terms of a question with their weights, and the reader for whom they were looked up. */
export interface QuestionTerms {
  readonly terms: ReadonlyMap<string, number>
  readonly scope: ReadingScope
}

interface WeighedBlock {
  readonly index: number
  readonly text: string
  readonly terms: ReadonlySet<string>
}

/**
 * Cuts a section to its heading and the paragraphs that have most terms of a question, with `[…]`
 * where something is omitted: never inside code, a table row or a sentence.
 *
 * @param most length of the result, about, in UTF-16 units
 * @returns `undefined` if no paragraph fits
 */
export function cutSection(section: string, most: number, question: QuestionTerms): string | undefined {
  const divided = divideSection(section, most / 2, question)
  const chosen = chooseBlocks(divided.blocks, most - divided.heading.length, question.terms)
  return chosen.length === 0 ? undefined : writeBlocks(divided, chosen)
}

/** Cuts a section to its heading and its shortest part, one with a term if there is any. */
export function cutShortest(section: string, question: QuestionTerms): string {
  const divided = divideSection(section, 0, question)
  const found = divided.blocks.filter(({ terms }) => terms.size > 0)
  const parts = found.length > 0 ? found : divided.blocks
  return writeBlocks(divided, parts.toSorted((a, b) => a.text.length - b.text.length).slice(0, 1))
}

interface DividedSection {
  readonly heading: string
  readonly blocks: readonly WeighedBlock[]
}

/** @param most length of a block, about */
function divideSection(section: string, most: number, { terms, scope }: QuestionTerms): DividedSection {
  const start = findHeadingEnd(section)
  const body = section.slice(start)
  const blocks = splitBlocks(body, most).map((block, index) => {
    const text = body.slice(block.start, block.end)
    return { index, text, terms: findTerms(text, terms, scope) }
  })
  return { heading: section.slice(0, start).trim(), blocks }
}

function writeBlocks({ heading, blocks }: DividedSection, chosen: readonly WeighedBlock[]): string {
  const parts = heading === '' ? [] : [heading]
  let last = -1
  for (const { index, text } of chosen.toSorted((a, b) => a.index - b.index)) {
    if (index > last + 1) parts.push(OMISSION)
    const joins = index === last + 1 && last >= 0
    if (joins) parts.push(parts.pop()! + text)
    else parts.push(text)
    last = index
  }
  if (last < blocks.length - 1) parts.push(OMISSION)
  return parts.map(trimLines).join('\n\n')
}

/** Chooses the blocks with the most weight of terms, then those after them, as many as fit. */
function chooseBlocks(
  blocks: readonly WeighedBlock[],
  most: number,
  weights: ReadonlyMap<string, number>,
): readonly WeighedBlock[] {
  const chosen = new Set<WeighedBlock>()
  const covered = new Set<string>()
  let left = most
  const take = (block: WeighedBlock): void => {
    chosen.add(block)
    left -= block.text.length
    for (const term of block.terms) covered.add(term)
  }
  const rate = ({ terms, text }: WeighedBlock): number => {
    let weight = 0
    for (const term of terms) weight += (covered.has(term) ? 0.2 : 1) * (weights.get(term) ?? 0)
    return weight / (text.length + 200)
  }
  const rated = blocks.filter(({ terms }) => terms.size > 0)
  // Rates change only when a term is covered first, so that a long section is sorted a few times.
  for (let before = -1; before < covered.size;) {
    before = covered.size
    const rates = new Map(rated.map((block) => [block, rate(block)]))
    for (const block of rated.toSorted((a, b) => rates.get(b)! - rates.get(a)!)) {
      if (!chosen.has(block) && block.text.length <= left) take(block)
      if (before < covered.size) break
    }
  }
  // If only the heading matches, the section is read from its start.
  if (chosen.size === 0 && blocks[0] !== undefined && blocks[0].text.length <= left) take(blocks[0])
  // What follows a paragraph belongs to it more often than what precedes it.
  for (const [index, block] of blocks.entries()) {
    const isNext = index > 0 && chosen.has(blocks[index - 1]!)
    if (isNext && !chosen.has(block) && block.text.length <= left) take(block)
  }
  return [...chosen]
}

function findTerms(text: string, terms: ReadonlyMap<string, number>, scope: ReadingScope): Set<string> {
  const found = new Set<string>()
  visitWords(text, (word) => {
    for (const term of deriveTerms(word, scope)) if (terms.has(term.text)) found.add(term.text)
  })
  return found
}
