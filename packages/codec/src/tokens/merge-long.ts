import { mergeByHeap } from './merge-by-heap.ts'
import type { TokenRun, Tokens } from './token-run.ts'
import type { Vocabulary } from './vocabulary.ts'

const WINDOW = 4096

/**
 * Byte-pair merge in time and memory linear in the bytes: by windows, each beginning at the end of a token inside the one before,
 * and joined to it at a token both have.
 *
 * The join is exact. What is merged inside two neighbouring tokens does not depend on the bytes around them; so if each two
 * neighbours of a run are what their own bytes give, the run is what all its bytes give, and any two neighbours out of a window
 * are that. Windows without a common token are taken longer.
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
