import { cpus, totalmem } from 'node:os'

/** The machine that a program ran on, without the name of a host or a path. */
export interface Machine {
  readonly cpu: string
  readonly cores: number
  readonly memoryGB: number
  readonly node: string
}

export function describeMachine(): Machine {
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryGB: Math.round(totalmem() / 2 ** 30),
    node: process.version,
  }
}

/** The middle value, the mean of the two middle ones for an even number; 0 for none. */
export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? 0
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2
}

/** Quantiles of times in milliseconds. */
export interface Times {
  readonly p50: number
  readonly p99: number
  readonly max: number
}

export function summarizeTimes(values: readonly number[]): Times {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number): number => round(sorted[Math.floor(share * (sorted.length - 1))] ?? 0)
  return { p50: at(0.5), p99: at(0.99), max: at(1) }
}

/** Rounds to two places, so that saved figures can be read. */
export function round(value: number): number {
  return Math.round(value * 100) / 100
}

/** Spreads numbers evenly, in the same way on every run. */
export function mix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x45d9f3b)
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x45d9f3b)
  return (mixed ^ (mixed >>> 16)) >>> 0
}

/** Returns a function to call after each of `total` steps; it shows the count on stderr, on a terminal only. */
export function createProgress(label: string, total: number): () => void {
  let done = 0
  return () => {
    done += 1
    if (!process.stderr.isTTY) return
    process.stderr.write(done === total ? '\r\u001B[K' : `\r\u001B[K${label} ${done}/${total}`)
  }
}
