import type { Pieces, Tokenizer } from '../../tokens/get-tokenizer.ts'
import { kindOfChar } from './lex-units.ts'
import type { LineTable } from '../../markdown/line-table.ts'
import { scanLines } from '../../markdown/scan-lines.ts'

/** One of several texts that are compressed together, with its UTF-16 offset in the joined text. */
export interface TextPart {
  readonly text: string
  readonly start: number
}

/** A character that no text contains, and that does not affect the text around it, if any. */
export function chooseSeparator(texts: readonly string[]): string | undefined {
  const present = new Uint8Array(0x10000)
  for (const text of texts) for (let at = 0; at < text.length; at++) present[text.charCodeAt(at)] = 1
  const isFree = (_: number, code: number): boolean =>
    present[code] === 0 && kindOfChar(code) === 0 && (code < 0xd800 || code > 0xdfff)
  const code = present.findIndex(isFree)
  return code < 0 ? undefined : String.fromCharCode(code)
}

export function splitParts(text: string, separator: string | undefined): TextPart[] {
  if (separator === undefined) return [{ text, start: 0 }]
  let start = 0
  return text.split(separator).map((part) => {
    const found = { text: part, start }
    start += part.length + separator.length
    return found
  })
}

/** Scans the lines of each part separately, into one table with the offsets of the joined text. */
export function scanParts(parts: readonly TextPart[], joined: string): LineTable {
  return joinTables(
    parts.map(({ text }) => scanLines(text)),
    parts,
    joined,
  )
}

export function joinTables(
  tables: readonly LineTable[],
  parts: readonly TextPart[],
  joined: string,
): LineTable {
  if (tables.length === 1) return tables[0]!
  const join = (name: 'starts' | 'ends' | 'bodyStarts' | 'bodyEnds'): Uint32Array =>
    Uint32Array.from(
      tables.flatMap((table, index) => Array.from(table[name], (offset) => offset + parts[index]!.start)),
    )
  return {
    text: joined,
    count: tables.reduce((sum, { count }) => sum + count, 0),
    starts: join('starts'),
    ends: join('ends'),
    bodyStarts: join('bodyStarts'),
    bodyEnds: join('bodyEnds'),
    kinds: Uint8Array.from(tables.flatMap(({ kinds }) => [...kinds])),
    marks: Uint8Array.from(tables.flatMap(({ marks }) => [...marks])),
    signatures: Int32Array.from(tables.flatMap(({ signatures }) => [...signatures])),
  }
}

/** Splits each part into pre-tokens separately; each separator is one more pre-token. */
export function cutPieces(parts: readonly TextPart[], tokenizer: Tokenizer): Pieces {
  const pieces = parts.map(({ text }) => tokenizer.splitPieces(text))
  if (pieces.length === 1) return pieces[0]!
  const count = pieces.reduce((sum, { ends }) => sum + ends.length + 1, -1)
  const joined = { ends: new Uint32Array(count), counts: new Uint32Array(count) }
  let next = 0
  for (const [index, { ends, counts }] of pieces.entries()) {
    const { start } = parts[index]!
    if (index > 0) {
      joined.ends[next] = start
      joined.counts[next++] = 1
    }
    for (const end of ends) joined.ends[next++] = end + start
    joined.counts.set(counts, next - counts.length)
  }
  return joined
}
