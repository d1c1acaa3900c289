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
export function cutSection(
  section: string,
  most: number,
  { terms, scope }: QuestionTerms,
): string | undefined {
  const headingEnd = findHeadingEnd(section)
  const heading = section.slice(0, headingEnd).trim()
  const blocks = splitBlocks(section.slice(headingEnd), most / 2).map(({ start, end }, index) => {
    const text = section.slice(headingEnd + start, headingEnd + end)
    return { index, text, terms: findTerms(text, terms, scope) }
  })
  const chosen = chooseBlocks(blocks, most - heading.length, terms)
  if (chosen.length === 0) return undefined
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
  const rate = ({ terms, text }: WeighedBlock): number => {
    let weight = 0
    for (const term of terms) weight += (covered.has(term) ? 0.2 : 1) * (weights.get(term) ?? 0)
    return weight / (text.length + 200)
  }
  for (;;) {
    let best: WeighedBlock | undefined
    for (const block of blocks) {
      if (chosen.has(block) || block.text.length > left) continue
      const value = rate(block)
      if (value > 0 && (best === undefined || value > rate(best))) best = block
    }
    // What follows a paragraph belongs to it more often than what precedes it.
    best ??= blocks.find(
      (block) => !chosen.has(block) && block.text.length <= left && chosen.has(blocks[block.index - 1]!),
    )
    if (best === undefined) break
    chosen.add(best)
    left -= best.text.length
    for (const term of best.terms) covered.add(term)
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
