import { findCuts } from '../preview/find-cuts.ts'

/** A part of a text in UTF-16 units; `end` is exclusive. */
export interface Block {
  readonly start: number
  readonly end: number
}

/**
 * Divides a text into blocks: paragraphs, fences, tables and lists. A block of more than `most`
 * units is divided further, at list items, table rows and sentences where it has them; code is
 * never divided. Joined, the blocks are the text; white space belongs to the block before.
 * @param most in UTF-16 units
 */
export function splitBlocks(text: string, most: number): readonly Block[] {
  const { block, item, sentence } = findCuts(text, text.length, false)
  const small = [...new Set([...item, ...sentence])].toSorted((a, b) => a - b)
  const cuts: number[] = []
  let start = 0
  let next = 0
  for (const end of block) {
    let last = start
    for (; next < small.length && small[next]! < end; next++) {
      const isUseful = end - start > most && small[next]! - last >= most / 4
      if (small[next]! > start && isUseful) cuts.push((last = small[next]!))
    }
    cuts.push(end)
    start = end
  }
  const ends = cuts.map((cut) => skipSpace(text, cut))
  const blocks = ends.map((end, index) => ({ start: ends[index - 1] ?? 0, end }))
  if ((ends.at(-1) ?? 0) < text.length) blocks.push({ start: ends.at(-1) ?? 0, end: text.length })
  return blocks.filter((found) => found.end > found.start)
}

/** Moves an offset past blank lines, so that indentation stays with the text after it. */
function skipSpace(text: string, at: number): number {
  const space = /^(?:[^\S\n]*\n)*/.exec(text.slice(at, at + 1000))![0]
  if (space !== '') return at + space.length
  // A sentence that ends within a line.
  return text[at] === ' ' ? at + 1 : at
}
