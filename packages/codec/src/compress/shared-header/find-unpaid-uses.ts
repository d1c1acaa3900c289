import type { TextShare } from './divide-encoding.ts'
import type { Encoding } from '../encode-text.ts'
import type { PreparedText } from '../prepare-text.ts'
import type { CompressionEntry } from '../types.ts'

/**
 * Finds the uses to withdraw so that each text, with the part of the header that it needs, takes fewer tokens than its
 * source: in a text that does not, those of the entries that bring least there, as few as may do. Entries that it did
 * not use stay unused there. A text of 0 tokens has to stay as it is.
 *
 * @param isLast Withdraw all uses from a text that does not pay.
 * @returns slots; none where every text pays or uses no entry.
 */
export function findUnpaidUses(
  { set, units }: PreparedText,
  texts: readonly string[],
  shares: readonly TextShare[],
  { selection, terms }: Encoding,
  isLast: boolean,
): number[] {
  const kept = shares.map((share) => listKept(share, isLast))
  if (kept.every((keep) => keep === undefined)) return []
  const found: number[] = []
  for (const phrase of selection.gross.keys()) {
    const term = terms.get(phrase)!
    let place = 0
    let limit = texts[0]!.length
    for (let at = set.firstByPhrase[phrase]!; at < set.firstByPhrase[phrase + 1]!; at++) {
      const slot = set.slotsByPhrase[at]!
      while (units.starts[set.slotEnd[slot]!]! > limit) limit += 1 + texts[++place]!.length
      if (kept[place]?.has(term) === false) found.push(slot)
    }
  }
  return found
}

/** So small a part of a source is regained at once. */
const FEW = 0.002

/** The terms that a text keeps; undefined where it pays as it is. */
function listKept(
  { entries, tokens: { source, content, rosetta } }: TextShare,
  isLast: boolean,
): Set<string> | undefined {
  const lost = content + rosetta - source + 1
  if (entries.length === 0 || lost <= 0) return undefined
  if (isLast || source === 0) return new Set()
  const order = entries.filter(({ uses }) => uses > 0).toSorted((a, b) => priceOf(a) - priceOf(b))
  // Half of it, since entries that others drop too may go altogether, which helps here.
  const missing = lost > FEW * source ? lost / 2 : lost
  let regained = 0
  let dropped = 0
  while (regained < missing && dropped < order.length && order[dropped]!.net < 0) {
    regained -= order[dropped++]!.net
  }
  if (regained < missing) dropped = Math.max(dropped, Math.ceil(order.length / 3))
  return new Set(order.slice(dropped).map(({ term }) => term))
}

/** What all texts together lose for each token that the text regains when it does without the entry. */
function priceOf({ gross, net }: CompressionEntry): number {
  return net < 0 ? gross / -net : Infinity
}
