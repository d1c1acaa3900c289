/** Called with the index of a phrase and the UTF-16 offset where it occurs. */
type Visit = (phrase: number, start: number) => void

/**
 * Finds many phrases in one pass over a text. Algorithm: A. Aho, M. Corasick, "Efficient String
 * Matching: An Aid to Bibliographic Search" (1975), over UTF-16 units.
 */
export class PhraseFinder {
  private readonly lengths: Int32Array
  /** The child of a node for a unit, at key node × 2^16 + unit. Node 0 is the root. */
  private readonly children = new Map<number, number>()
  /** 1 for each unit that starts a phrase. */
  private readonly begins = new Uint8Array(1 << 16)
  /** The node of the longest proper suffix of a node's text that is also the prefix of a phrase. */
  private readonly fallbacks: Int32Array
  /** The phrase that ends at a node, or -1; and the next node down the fallbacks with one, or 0. */
  private readonly phrases: Int32Array
  private readonly nexts: Int32Array

  /** @param phrases Distinct and not empty. */
  constructor(phrases: readonly string[]) {
    const most = 1 + phrases.reduce((sum, { length }) => sum + length, 0)
    this.lengths = Int32Array.from(phrases, ({ length }) => length)
    this.fallbacks = new Int32Array(most)
    this.phrases = new Int32Array(most).fill(-1)
    this.nexts = new Int32Array(most)
    const parents = new Int32Array(most)
    const units = new Uint16Array(most)
    const depths = new Int32Array(most)
    let nodes = 1
    for (const [index, phrase] of phrases.entries()) {
      this.begins[phrase.charCodeAt(0)] = 1
      let node = 0
      for (let at = 0; at < phrase.length; at++) {
        const unit = phrase.charCodeAt(at)
        const key = keyOf(node, unit)
        let child = this.children.get(key)
        if (child === undefined) {
          this.children.set(key, (child = nodes++))
          parents[child] = node
          units[child] = unit
          depths[child] = at + 1
        }
        node = child
      }
      this.phrases[node] = index
    }
    const byDepth = Int32Array.from({ length: nodes - 1 }, (_, index) => index + 1)
    for (const node of byDepth.sort((a, b) => depths[a]! - depths[b]!))
      this.linkNode(node, parents[node]!, units[node]!)
  }

  /** Visits all occurrences, even overlapping ones, by ascending end. */
  visit(text: string, visit: Visit): void {
    this.walk(text, (node, end) => {
      for (let at = this.lastPhraseNode(node); at > 0; at = this.nexts[at]!)
        visit(this.phrases[at]!, end - this.lengths[this.phrases[at]!]!)
    })
  }

  /** Lists where each phrase occurs, from left to right, skipping overlaps with itself. */
  listStarts(text: string): number[][] {
    const starts: number[][] = Array.from(this.lengths, () => [])
    const free = new Int32Array(this.lengths.length)
    this.visit(text, (phrase, start) => {
      if (start < free[phrase]!) return
      free[phrase] = start + this.lengths[phrase]!
      starts[phrase]!.push(start)
    })
    return starts
  }

  /** For each offset, the last start of a phrase that ends at or before it, or -1. */
  findLastStarts(text: string): Int32Array {
    const lasts = new Int32Array(text.length + 1).fill(-1)
    const shortest = new Int32Array(this.nexts.length)
    this.walk(text, (node, end) => {
      const first = this.lastPhraseNode(node)
      if (first === 0) return
      lasts[end] = end - this.measureShortest(first, shortest)
    })
    for (let end = 1; end <= text.length; end++) lasts[end] = Math.max(lasts[end]!, lasts[end - 1]!)
    return lasts
  }

  private linkNode(node: number, parent: number, unit: number): void {
    const { children, fallbacks, nexts } = this
    let before = parent
    let fallback = 0
    while (before !== 0 && fallback === 0) {
      before = fallbacks[before]!
      fallback = children.get(keyOf(before, unit)) ?? 0
    }
    fallbacks[node] = fallback
    nexts[node] = this.lastPhraseNode(fallback)
  }

  private walk(text: string, reach: (node: number, end: number) => void): void {
    const { children, begins, fallbacks } = this
    let node = 0
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at)
      if (node === 0 && begins[unit] === 0) continue
      let child = children.get(keyOf(node, unit))
      while (child === undefined && node !== 0) {
        node = fallbacks[node]!
        child = children.get(keyOf(node, unit))
      }
      node = child ?? 0
      if (node !== 0) reach(node, at + 1)
    }
  }

  private lastPhraseNode(node: number): number {
    return this.phrases[node]! >= 0 ? node : this.nexts[node]!
  }

  private measureShortest(node: number, known: Int32Array): number {
    if (known[node] === 0) {
      let last = node
      while (this.nexts[last] !== 0) last = this.nexts[last]!
      known[node] = this.lengths[this.phrases[last]!]!
    }
    return known[node]!
  }
}

function keyOf(node: number, unit: number): number {
  return node * (1 << 16) + unit
}
