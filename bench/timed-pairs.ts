import { createDocument, type BenchDocument } from './documents.ts'

/** A document whose compression is timed and the text that the process is warmed with before. */
export interface TimedPair {
  readonly document: BenchDocument
  readonly warmup: string
}

const SMALLEST = 60_000
const LARGEST = 125_000
const WARMUP = 100_000

/**
 * Every document of 60-125 KB with another one of 100 KB or more. A corpus of small documents gives one pair: every
 * second document joined, and the others joined.
 */
export function selectTimedPairs(documents: readonly BenchDocument[]): readonly TimedPair[] {
  const timed = documents.filter(({ bytes }) => bytes >= SMALLEST && bytes <= LARGEST)
  if (timed.length === 0) return [joinHalves(documents)]
  return timed.map((document) => ({
    document,
    warmup: chooseWarmup(documents.filter((other) => other !== document)),
  }))
}

function chooseWarmup(others: readonly BenchDocument[]): string {
  const large = others.filter(({ bytes }) => bytes >= WARMUP).sort((a, b) => a.bytes - b.bytes)
  return large[0]?.text ?? joinTexts(others, WARMUP)
}

function joinHalves(documents: readonly BenchDocument[]): TimedPair {
  const timed = documents.filter((_, index) => index % 2 === 0)
  const others = documents.filter((_, index) => index % 2 === 1)
  const text = joinTexts(timed, SMALLEST)
  return { document: createDocument('(joined)', text), warmup: joinTexts(others, WARMUP) }
}

/** Joins texts, from the first again where all are too short, until `length` is reached. */
function joinTexts(documents: readonly BenchDocument[], length: number): string {
  let joined = ''
  for (let index = 0; joined.length < length && documents.length > 0; index++) {
    joined += `${documents[index % documents.length]?.text}\n\n`
  }
  return joined
}
