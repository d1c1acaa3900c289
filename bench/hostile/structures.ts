import type { Random } from '../random.ts'

/** What a structure is made from. */
export interface StructureOptions {
  readonly random: Random
  /** Letters are numbers below this. */
  readonly letters: number
  /** Length of a run, period or block, in letters. */
  readonly size: number
  /** How often each run occurs. */
  readonly copies: number
  /** Letters to make at least. */
  readonly count: number
}

/** Yields runs of letters; a line ends after each run. */
type Structure = (options: StructureOptions) => Iterable<readonly number[]>

/** How the letters of a text follow each other, by name. */
export const STRUCTURES = {
  *random(options) {
    for (;;) yield makeRun(options)
  },
  *zipf({ random, letters, size }) {
    for (;;) yield Array.from({ length: size }, () => Math.floor(letters ** random.next()) - 1)
  },
  *period(options) {
    const word = makeRun(options)
    for (;;) yield word
  },
  *'each run repeated'(options) {
    for (;;) {
      const run = makeRun(options)
      for (let copy = 0; copy < options.copies; copy++) yield run
    }
  },
  *'whole text repeated'(options) {
    const runs: number[][] = []
    const total = options.count / options.copies / options.size
    for (let made = 0; made < total; made++) runs.push(makeRun(options))
    for (;;) yield* runs
  },
  *'nested repeats'({ random, letters, count, size }) {
    let word = [random.below(letters)]
    while (word.length < count) word = [...word, ...word, random.below(letters)]
    yield* cut(word, size)
  },
  *fibonacci(options) {
    let [word, shorter] = [makeRun(options), makeRun(options)]
    while (word.length < options.count) [word, shorter] = [word.concat(shorter), word]
    yield* cut(word, 4096)
  },
  *'thue-morse'(options) {
    let [word, other] = [makeRun(options), makeRun(options)]
    while (word.length < options.count) [word, other] = [word.concat(other), other.concat(word)]
    yield* cut(word, 4096)
  },
  *'one change in each copy'(options) {
    const run = makeRun(options)
    for (;;) yield run.with(options.random.below(run.length), options.random.below(options.letters))
  },
  *'growing prefixes'(options) {
    const run = makeRun(options)
    for (let length = 1; ; length = (length % run.length) + 1) yield run.slice(0, length)
  },
  *'growing suffixes'(options) {
    const run = makeRun(options)
    for (let length = 1; ; length = (length % run.length) + 1) yield run.slice(run.length - length)
  },
  *'random parts'(options) {
    const { random, size } = options
    const run = makeRun({ ...options, size: size * 4 })
    for (;;) {
      const from = random.below(run.length)
      yield run.slice(from, from + 1 + random.below(size))
    }
  },
  *'copies of copies'({ random, letters, size, count }) {
    const made = [0]
    while (made.length < count) {
      const from = random.below(made.length)
      made.push(...made.slice(from, from + 1 + random.below(size)))
      if (random.below(4) === 0) made.push(random.below(letters))
    }
    yield* cut(made, size)
  },
} as const satisfies Record<string, Structure>

export type StructureName = keyof typeof STRUCTURES

function makeRun({ random, letters, size }: StructureOptions): number[] {
  return Array.from({ length: Math.max(1, size) }, () => random.below(letters))
}

function* cut(word: readonly number[], size: number): Iterable<readonly number[]> {
  for (let at = 0; at < word.length; at += size) yield word.slice(at, at + size)
}
