import {
  FORBIDDEN_ADJACENCY,
  type CandidateSet,
} from '../../packages/codec/src/compress/candidates/candidate-set.ts'

/** Text between two nodes that is not replaced. */
export interface TextArc {
  readonly from: number
  readonly to: number
}

/** An occurrence that is replaced, after text or, with its adjacency gain, directly after another occurrence. */
export interface OccurrenceArc extends TextArc {
  readonly occurrence: number
  readonly gain: number
}

/**
 * Arcs between the nodes `SOURCE`, `SINK` and others below `nodeCount`. Each path from source to sink is a cover of
 * the text.
 */
export interface ArcPlan {
  readonly arcs: readonly OccurrenceArc[]
  readonly links: readonly TextArc[]
  readonly nodeCount: number
}

export const SOURCE = 0
export const SINK = 1

/**
 * Turns the occurrences marked in `kept` into arcs along the text.
 *
 * A boundary with an adjacency gain has a second node, which only occurrences reach: an occurrence that starts
 * there gains it. If two occurrences must not touch, an occurrence ends one boundary later. Boundaries without
 * occurrences have no node.
 */
export function buildArcs(set: CandidateSet, kept: Uint8Array): ArcPlan {
  const { units, occurrenceStart, occurrenceEnd, occurrenceCount, occurrenceSaved, adjacencyGain } = set
  const begins = new Uint8Array(units + 2)
  const ends = new Uint8Array(units + 2)
  for (let occurrence = 0; occurrence < occurrenceCount; occurrence++) {
    if (kept[occurrence] === 0) continue
    begins[occurrenceStart[occurrence]!] = 1
    ends[occurrenceEnd[occurrence]!] = 1
  }
  const hasAdjacencyGain = (at: number): boolean =>
    begins[at] === 1 && ends[at] === 1 && adjacencyGain[at] !== 0 && adjacencyGain[at] !== FORBIDDEN_ADJACENCY

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
    if (!hasAdjacencyGain(at)) continue
    useNode[at] = nodeCount++
    links.push({ from: useNode[at]!, to: textNode[at + 1]! })
  }

  const arcs: OccurrenceArc[] = []
  for (let occurrence = 0; occurrence < occurrenceCount; occurrence++) {
    if (kept[occurrence] === 0) continue
    const begin = occurrenceStart[occurrence]!
    const end = occurrenceEnd[occurrence]!
    const gain = occurrenceSaved[occurrence]!
    const to = hasAdjacencyGain(end)
      ? useNode[end]!
      : textNode[adjacencyGain[end] === FORBIDDEN_ADJACENCY ? end + 1 : end]!
    arcs.push({ occurrence, gain, from: textNode[begin]!, to })
    if (hasAdjacencyGain(begin))
      arcs.push({ occurrence, gain: gain + adjacencyGain[begin]!, from: useNode[begin]!, to })
  }
  return { arcs, links, nodeCount }
}
