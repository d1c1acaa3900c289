import { dirname } from 'node:path/posix'
import { createDocument, type BenchDocument } from './documents.ts'

/** A document whose compression is timed, and the text that warms the process first. */
export interface TimedPair {
  readonly document: BenchDocument
  readonly warmup: string
}

/** A timed text and the documents that it consists of. */
interface TimedDocument {
  readonly document: BenchDocument
  readonly parts: readonly BenchDocument[]
}

const SMALLEST = 60_000
const LARGEST = 125_000
const WARMUP = 100_000
const CUT = 100_000
/** Number of documents to time, if there is enough text. */
const ENOUGH = 15

/**
 * Pairs every document of 60-125 KB with another one of 100 KB or more. If there are fewer than 15, longer documents follow, cut
 * at a line end at 100 KB, then small neighbours of one folder, joined. A corpus of small documents gives one pair: every
 * second document joined, and the others joined.
 */
export function selectTimedPairs(documents: readonly BenchDocument[]): readonly TimedPair[] {
  const whole = documents
    .filter(({ bytes }) => bytes >= SMALLEST && bytes <= LARGEST)
    .map((document) => ({ document, parts: [document] }))
  if (whole.length === 0) return [joinHalves(documents)]
  const more = [...cutLong(documents), ...joinNeighbours(documents)]
  const timed = [...whole, ...more.slice(0, Math.max(0, ENOUGH - whole.length))]
  return timed.map(({ document, parts }) => ({
    document,
    warmup: chooseWarmup(documents.filter((other) => !parts.includes(other))),
  }))
}

function cutLong(documents: readonly BenchDocument[]): TimedDocument[] {
  return documents
    .filter(({ bytes }) => bytes > LARGEST)
    .map((document) => {
      const end = document.text.lastIndexOf('\n', CUT)
      const text = document.text.slice(0, end < SMALLEST ? CUT : end + 1)
      return { document: createDocument(`${document.file} (cut)`, text), parts: [document] }
    })
}

/** Joins the documents below 60 KB of one folder, in their order, into texts of at least 60 KB. */
function joinNeighbours(documents: readonly BenchDocument[]): TimedDocument[] {
  const joined: TimedDocument[] = []
  let parts: BenchDocument[] = []
  for (const document of documents) {
    if (document.bytes >= SMALLEST) continue
    if (parts.length > 0 && dirname(parts[0]!.file) !== dirname(document.file)) parts = []
    parts.push(document)
    if (parts.reduce((sum, { bytes }) => sum + bytes, 0) < SMALLEST) continue
    const name = `${parts[0]!.file} (and ${parts.length - 1} joined)`
    const text = parts.map((part) => part.text).join('\n\n')
    joined.push({ document: createDocument(name, text), parts })
    parts = []
  }
  return joined
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

/** Joins texts until `length` is reached; starts again with the first if all are too short. */
function joinTexts(documents: readonly BenchDocument[], length: number): string {
  let joined = ''
  for (let index = 0; joined.length < length && documents.length > 0; index++) {
    joined += `${documents[index % documents.length]?.text}\n\n`
  }
  return joined
}
