import { mergeByHeap, type TokenRun, type Tokens } from './merge-bytes.ts'
import type { Vocabulary } from './vocabulary/vocabulary.ts'

/** Bytes merged to see how a run starts: more than three times the longest token. */
const PROBE_BYTES = 1024

/**
 * How a run of one byte merges: into blocks of `size` bytes, followed by a tail whose tokens depend
 * on its length.
 */
interface RunPlan {
  readonly probe: Uint8Array
  readonly block: number
  readonly size: number
  readonly tails: (Int32Array | undefined)[]
}

/**
 * Merges long pieces. Runs of one byte, such as the indentation of a line in deeply nested lists,
 * are composed from the results of shorter runs.
 *
 * This is exact for the reason given at `mergeLong`. Two adjacent blocks are the merge of their own
 * bytes. So are any two adjacent tokens of a tail, and every tail starts with a block. Therefore
 * blocks and tail together are the merge of all bytes.
 */
export class LongMerger {
  readonly #vocabulary: Vocabulary
  readonly #plans = new Map<number, RunPlan | undefined>()

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary
  }

  merge(bytes: Uint8Array, from: number, to: number): Tokens {
    return this.#mergeRun(bytes, from, to) ?? mergeLong(bytes, from, to, this.#vocabulary)
  }

  /**
   * Undefined if the bytes are not all equal, or if two adjacent blocks would merge differently.
   */
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

const WINDOW = 4096

/**
 * Byte-pair merge in linear time and memory. It merges windows, each of which starts at the end of
 * a token inside the previous one, and joins two windows at a token that both contain.
 *
 * The join is exact. The merge inside two adjacent tokens does not depend on the bytes around them.
 * So if every two adjacent tokens of a run are the merge of their own bytes, the run is the merge
 * of all its bytes. Any two adjacent tokens in a window meet this condition. If two windows have no
 * token in common, larger windows are used.
 */
export function mergeLong(
  bytes: Uint8Array,
  from: number,
  to: number,
  vocabulary: Vocabulary,
  windowBytes: number = WINDOW,
): Tokens {
  let window = mergeByHeap(bytes, from, Math.min(from + windowBytes, to), vocabulary)
  let end = from + windowBytes
  if (end >= to) return window
  const merged: Tokens = { ids: new Int32Array(to - from), count: 0 }
  let first = 0
  while (end < to) {
    const shared = Math.max(first, tokensUpTo(window, end - (windowBytes >> 3)))
    const restart = shared === 0 ? from : window.ends[shared - 1]!
    end = restart + windowBytes
    const next = mergeByHeap(bytes, restart, Math.min(end, to), vocabulary)
    const join = findCommonToken(window, shared, next, restart)
    if (join === undefined) return mergeLong(bytes, from, to, vocabulary, windowBytes * 8)
    append(merged, window, first, join.inWindow + 1)
    window = next
    first = join.inNext + 1
  }
  append(merged, window, first, window.count)
  return merged
}

function tokensUpTo(run: TokenRun, end: number): number {
  let count = run.count
  while (count > 0 && run.ends[count - 1]! > end) count--
  return count
}

function findCommonToken(
  window: TokenRun,
  shared: number,
  next: TokenRun,
  restart: number,
): { readonly inWindow: number; readonly inNext: number } | undefined {
  let inWindow = shared
  let inNext = 0
  let start = restart
  let nextStart = restart
  while (inWindow < window.count && inNext < next.count) {
    const end = window.ends[inWindow]!
    const nextEnd = next.ends[inNext]!
    if (end === nextEnd && start === nextStart) return { inWindow, inNext }
    if (end <= nextEnd) {
      start = end
      inWindow++
    }
    if (nextEnd <= end) {
      nextStart = nextEnd
      inNext++
    }
  }
  return undefined
}

function append(merged: Tokens, run: TokenRun, from: number, to: number): void {
  merged.ids.set(run.ids.subarray(from, to), merged.count)
  merged.count += to - from
}
