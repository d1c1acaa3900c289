import { NO_GLUE, type PhraseSet } from '../../packages/codec/src/compress/candidates/phrase-set.ts'

/** Text left as it is, between two nodes. */
export interface TextArc {
  readonly from: number
  readonly to: number
}

/** A use of a slot, behind text or, with its glue, right behind another use. */
export interface SlotArc extends TextArc {
  readonly slot: number
  readonly gain: number
}

/** Arcs between nodes `SOURCE`, `SINK` and up to `nodeCount`: each path from one to the other is a way to cover the text. */
export interface ArcPlan {
  readonly arcs: readonly SlotArc[]
  readonly links: readonly TextArc[]
  readonly nodeCount: number
}

export const SOURCE = 0
export const SINK = 1

/**
 * Lays the slots marked in `kept` as arcs along the text.
 *
 * A boundary where glue matters has a second node, reached by uses alone: from there a use gains its glue. Where two uses
 * may not touch, a use ends one boundary later. Boundaries that no slot meets have no node.
 */
export function layArcs(set: PhraseSet, kept: Uint8Array): ArcPlan {
  const { units, slotStart, slotEnd, slotCount, slotSaved, glue } = set
  const begins = new Uint8Array(units + 2)
  const ends = new Uint8Array(units + 2)
  for (let slot = 0; slot < slotCount; slot++) {
    if (kept[slot] === 0) continue
    begins[slotStart[slot]!] = 1
    ends[slotEnd[slot]!] = 1
  }
  const isGlued = (at: number): boolean =>
    begins[at] === 1 && ends[at] === 1 && glue[at] !== 0 && glue[at] !== NO_GLUE

  let nodeCount = 2
  let last = SOURCE
  const links: TextArc[] = []
  const textNode = new Int32Array(units + 2)
  for (let at = 1; at <= units + 1; at++) {
    if (begins[at] === 1 || ends[at] === 1 || ends[at - 1] === 1) {
      links.push({ from: last, to: nodeCount })
      last = nodeCount++
    }
    textNode[at] = last
  }
  links.push({ from: last, to: SINK })
  const useNode = new Int32Array(units + 1)
  for (let at = 0; at <= units; at++) {
    if (!isGlued(at)) continue
    useNode[at] = nodeCount++
    links.push({ from: useNode[at]!, to: textNode[at + 1]! })
  }

  const arcs: SlotArc[] = []
  for (let slot = 0; slot < slotCount; slot++) {
    if (kept[slot] === 0) continue
    const begin = slotStart[slot]!
    const end = slotEnd[slot]!
    const gain = slotSaved[slot]!
    const to = isGlued(end) ? useNode[end]! : textNode[glue[end] === NO_GLUE ? end + 1 : end]!
    arcs.push({ slot, gain, from: textNode[begin]!, to })
    if (isGlued(begin)) arcs.push({ slot, gain: gain + glue[begin]!, from: useNode[begin]!, to })
  }
  return { arcs, links, nodeCount }
}
