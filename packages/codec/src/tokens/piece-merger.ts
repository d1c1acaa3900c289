import { mergeByHeap, mergeShort, SHORT_PIECE, type Tokens, type TokenRun } from './merge-bytes.ts'
import { hashBytes, NO_RANK, type Vocabulary } from './vocabulary/stored-vocabulary.ts'

/** Merges pre-tokens into tokens, caching the short ones. */
export class PieceMerger {
  private readonly vocabulary: Vocabulary
  private readonly cache = new MergeCache()
  private readonly long: LongMerger

  constructor(vocabulary: Vocabulary) {
    this.vocabulary = vocabulary
    this.long = new LongMerger(vocabulary)
  }

  count(bytes: Uint8Array, from: number, to: number): number {
    const hash = hashBytes(bytes, from, to)
    if (this.vocabulary.find(bytes, from, to, hash) !== NO_RANK) return 1
    if (to - from > CACHED_BYTES) return this.long.merge(bytes, from, to).count
    return this.cache.countOf(this.mergeCached(bytes, from, to, hash))
  }

  encode(bytes: Uint8Array, from: number, to: number, tokens: number[]): void {
    const { vocabulary, cache } = this
    const hash = hashBytes(bytes, from, to)
    const rank = vocabulary.find(bytes, from, to, hash)
    if (rank !== NO_RANK) tokens.push(rank)
    else if (to - from > CACHED_BYTES) {
      const { ids, count } = this.long.merge(bytes, from, to)
      for (let token = 0; token < count; token++) tokens.push(ids[token]!)
    } else {
      const entry = this.mergeCached(bytes, from, to, hash)
      const first = cache.firstOf(entry)
      for (let token = 0; token < cache.countOf(entry); token++) tokens.push(cache.ids[first + token]!)
    }
  }

  private mergeCached(bytes: Uint8Array, from: number, to: number, hash: number): number {
    const entry = this.cache.find(bytes, from, to, hash)
    if (entry !== NOT_CACHED) return entry
    const merge = to - from <= SHORT_PIECE ? mergeShort : mergeByHeap
    return this.cache.add(bytes, from, to, hash, merge(bytes, from, to, this.vocabulary))
  }
}

const SLOTS = 1 << 16
const ENTRIES = SLOTS / 2
const POOL = 1 << 19

/** The most bytes of a piece in a {@link MergeCache}. */
const CACHED_BYTES = 128

/** The entry of a piece that is not in the {@link MergeCache}. */
const NOT_CACHED = 0

/** Tokens of merged pieces by their bytes. At most 3.2 MB, emptied when full. */
class MergeCache {
  /** Token ids; an entry's ids start at {@link firstOf}. */
  readonly ids: Int32Array = new Int32Array(POOL)
  readonly #bytes = new Uint8Array(POOL)
  readonly #slots = new Uint16Array(SLOTS)
  readonly #hashes = new Int32Array(ENTRIES)
  // An entry has at most as many ids as bytes, so both pools use the same start.
  readonly #starts = new Int32Array(ENTRIES)
  readonly #lengths = new Uint8Array(ENTRIES)
  readonly #counts = new Uint8Array(ENTRIES)
  #size = 0
  #end = 0

  find(bytes: Uint8Array, from: number, to: number, hash: number): number {
    for (let slot = hash & (SLOTS - 1); ; slot = (slot + 1) & (SLOTS - 1)) {
      const entry = this.#slots[slot]!
      if (entry === NOT_CACHED) return NOT_CACHED
      if (this.#hashes[entry] === hash && this.#equals(entry, bytes, from, to)) return entry
    }
  }

  countOf(entry: number): number {
    return this.#counts[entry]!
  }

  firstOf(entry: number): number {
    return this.#starts[entry]!
  }

  /** Adds the tokens of at most {@link CACHED_BYTES} new bytes; returns their entry. */
  add(bytes: Uint8Array, from: number, to: number, hash: number, { ids, count }: Tokens): number {
    if (this.#size + 1 === ENTRIES || this.#end + to - from > POOL) this.#clear()
    const entry = ++this.#size
    const start = this.#end
    for (let at = from; at < to; at++) this.#bytes[start + at - from] = bytes[at]!
    for (let token = 0; token < count; token++) this.ids[start + token] = ids[token]!
    this.#starts[entry] = start
    this.#lengths[entry] = to - from
    this.#counts[entry] = count
    this.#hashes[entry] = hash
    this.#end = start + to - from
    let slot = hash & (SLOTS - 1)
    while (this.#slots[slot] !== NOT_CACHED) slot = (slot + 1) & (SLOTS - 1)
    this.#slots[slot] = entry
    return entry
  }

  #equals(entry: number, bytes: Uint8Array, from: number, to: number): boolean {
    if (this.#lengths[entry] !== to - from) return false
    const kept = this.#bytes
    for (let at = from, slot = this.#starts[entry]!; at < to; at++, slot++) {
      if (bytes[at] !== kept[slot]) return false
    }
    return true
  }

  #clear(): void {
    this.#slots.fill(NOT_CACHED)
    this.#size = 0
    this.#end = 0
  }
}

/** Bytes merged to see how a run starts: more than three times the longest token. */
const PROBE_BYTES = 1024

/** How a run of one byte merges: blocks of `size` bytes, then a tail. */
interface RunPlan {
  readonly probe: Uint8Array
  readonly block: number
  readonly size: number
  readonly tails: (Int32Array | undefined)[]
}

/**
 * Merges long pieces. Runs of one byte, such as the indentation of a line in deeply nested lists,
 * are composed from the results of shorter runs. This is exact for the reason given at `mergeLong`.
 * Two adjacent blocks are the merge of their own bytes. So are any two adjacent tokens of a tail,
 * and every tail starts with a block, so blocks and tail together are the merge of all bytes.
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

  /** Undefined if the bytes differ, or two adjacent blocks would merge differently. */
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
 * a token inside the previous one, and joins two windows at a token that both contain. The join is
 * exact. The merge inside two adjacent tokens does not depend on the bytes around them. So if every
 * two adjacent tokens of a run are the merge of their own bytes, the run is the merge of all its
 * bytes. Any two adjacent tokens in a window meet this condition. If two windows have no token in
 * common, larger windows are used.
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
