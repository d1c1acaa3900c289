import { mergeByHeap } from './merge-by-heap.ts'
import { mergeLong } from './merge-long.ts'
import type { Tokens } from './token-run.ts'
import type { Vocabulary } from './vocabulary.ts'

/** Bytes merged to see how a run begins; more than three times the longest token. */
const PROBE_BYTES = 1024

/** How runs of one byte merge: blocks of so many bytes, behind them the tokens of what is left, by its length. */
interface RunPlan {
  readonly probe: Uint8Array
  readonly block: number
  readonly size: number
  readonly tails: (Int32Array | undefined)[]
}

/**
 * Merges long pieces; runs of one byte, such as the spaces before a line far down in nested lists, by what is known of
 * shorter ones.
 *
 * That is exact for the reason given at `mergeLong`: two blocks are what their own bytes give, and so are any two tokens of a tail,
 * which begins with a block; so blocks and tail together are what all the bytes give.
 */
export class LongMerger {
  readonly #vocabulary: Vocabulary
  readonly #plans = new Map<number, RunPlan | undefined>()

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary
  }

  /** Tokens that byte-pair encoding gives for the bytes of a piece. */
  merge(bytes: Uint8Array, from: number, to: number): Tokens {
    return this.#mergeRun(bytes, from, to) ?? mergeLong(bytes, from, to, this.#vocabulary)
  }

  /** Nothing where the bytes are not all the same, or their blocks cannot stand side by side. */
  #mergeRun(bytes: Uint8Array, from: number, to: number): Tokens | undefined {
    const byte = bytes[from]!
    for (let at = from + 1; at < to; at++) if (bytes[at] !== byte) return undefined
    if (!this.#plans.has(byte)) this.#plans.set(byte, this.#createPlan(byte))
    const plan = this.#plans.get(byte)
    if (plan === undefined) return undefined
    const { block, size } = plan
    const blocks = Math.max(0, Math.floor((to - from) / size) - 2)
    const tail = this.#mergeTail(plan, to - from - blocks * size)
    if (blocks > 0 && tail[0] !== block) return undefined
    const ids = new Int32Array(blocks + tail.length).fill(block)
    ids.set(tail, blocks)
    return { ids, count: ids.length }
  }

  #createPlan(byte: number): RunPlan | undefined {
    const probe = new Uint8Array(PROBE_BYTES).fill(byte)
    const start = mergeByHeap(probe, 0, PROBE_BYTES, this.#vocabulary)
    const block = start.ids[0]!
    const size = start.ends[0]!
    if (3 * size > PROBE_BYTES) return undefined
    const { ids, count } = mergeByHeap(probe, 0, 2 * size, this.#vocabulary)
    return count === 2 && ids[0] === block && ids[1] === block ? { probe, block, size, tails: [] } : undefined
  }

  #mergeTail({ probe, tails }: RunPlan, length: number): Int32Array {
    let tail = tails[length]
    if (tail === undefined) {
      const { ids, count } = mergeByHeap(probe, 0, length, this.#vocabulary)
      tail = tails[length] = ids.slice(0, count)
    }
    return tail
  }
}
