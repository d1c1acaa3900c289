import { serializeRosetta } from '../../rosetta/serialize-rosetta.ts'
import type { Encoding } from '../encode-text.ts'
import { createEntryPicker, type TermUsage } from './pick-entries.ts'
import type { PreparedText } from '../prepare-text.ts'
import type { Compression, CompressionEntry } from '../types.ts'

/** What one of several texts has of their common encoding: its content, and the part of the header that it needs. */
export interface TextShare {
  readonly content: string
  readonly rosetta: string
  readonly entries: readonly CompressionEntry[]
  readonly tokens: Compression['tokens']
}

/** Divides an encoding of `texts`, joined by the separator of `prepared`, among them. */
export function divideEncoding(
  prepared: PreparedText,
  texts: readonly string[],
  sourceTokens: readonly number[],
  encoding: Encoding,
): TextShare[] {
  const { tokenizer, tally, separator = '' } = prepared
  const { content, entries } = encoding.compression
  const pickEntries = createEntryPicker(entries, tally)
  const usages = sumUsages(prepared, texts, encoding)
  return content.split(separator).map((own, place) => {
    const picked = pickEntries(usages[place]!)
    const rosetta = serializeRosetta({ entries: picked })
    const tokens = {
      source: sourceTokens[place]!,
      content: tokenizer.countTokens(own),
      rosetta: picked.length === 0 ? 0 : tokenizer.countTokens(rosetta),
    }
    return { content: own, rosetta, entries: picked, tokens }
  })
}

/** Uses of each term and what they save, by text. */
function sumUsages(
  { set, units }: PreparedText,
  texts: readonly string[],
  { selection: { slots }, terms }: Encoding,
): Map<string, TermUsage>[] {
  const usages = texts.map(() => new Map<string, TermUsage>())
  let place = 0
  let limit = texts[0]!.length
  let last = -1
  for (const slot of slots) {
    const begin = set.slotStart[slot]!
    while (units.starts[begin]! > limit) limit += 1 + texts[++place]!.length
    const term = terms.get(set.slotPhrase[slot]!)!
    const usage = usages[place]!.get(term) ?? { uses: 0, gross: 0 }
    const gross = usage.gross + set.slotSaved[slot]! + (begin === last ? set.glue[begin]! : 0)
    usages[place]!.set(term, { uses: usage.uses + 1, gross })
    last = set.slotEnd[slot]!
  }
  return usages
}
