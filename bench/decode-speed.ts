import { decode, parseRosetta, type Rosetta, type RosettaEntry } from '@packs/codec'
import type { BenchDocument } from './documents.ts'
import { medianOf } from './measure.ts'
import { compress } from './variants.ts'

/** Decode speed of one large pack beside a bare `charCodeAt` loop over the decoded text; MB are 10⁶ UTF-16 units. */
export interface DecodeSpeed {
  readonly entries: number
  readonly uses: number
  readonly megabytes: number
  readonly decodeMBps: number
  readonly loopMBps: number
  /** Median over rounds of loop time ÷ decode time. Both times of a round are taken under the same load. */
  readonly ratio: number
}

interface LargePack {
  readonly content: string
  readonly rosetta: Rosetta
  readonly uses: number
  readonly text: string
}

const MINIMUM_LENGTH = 4_000_000
const ENTRY_COUNTS = [10, 200, 1200] as const
const ROUNDS = 15

/** Decodes packs of 4 MB and more, made by joining all documents, at 10, 200 and 1,200 entries. */
export function measureDecodeSpeed(documents: readonly BenchDocument[]): readonly DecodeSpeed[] {
  const joined = documents.map((document) => document.text).join('\n\n')
  const compression = compress(joined, { scheme: 'dense-2' })
  const ranked = compression.entries.toSorted((a, b) => b.uses - a.uses)
  const counts = new Set(ENTRY_COUNTS.map((count) => Math.min(count, ranked.length)))
  return [...counts].map((count) => {
    const kept = new Set(ranked.slice(0, count).map((entry) => entry.term))
    return timeDecode(buildLargePack(compression, kept))
  })
}

/** Keeps only the `kept` entries of a pack: expands the others in the content and repeats the content. */
function buildLargePack(compression: ReturnType<typeof compress>, kept: ReadonlySet<string>): LargePack {
  const { text } = compression
  const parsed = parseRosetta(compression.rosetta)
  const flat = parsed.entries.map(({ term }): RosettaEntry => ({ term, expansion: decode(term, parsed) }))
  const dropped = { entries: flat.filter(({ term }) => !kept.has(term)) }
  const rosetta = { entries: flat.filter(({ term }) => kept.has(term)) }
  const once = decode(compression.content, dropped)
  const times = Math.ceil(MINIMUM_LENGTH / text.length)
  const pack = {
    content: Array.from({ length: times }, () => once).join('\n\n'),
    rosetta,
    uses: times * compression.entries.reduce((sum, { term, uses }) => sum + (kept.has(term) ? uses : 0), 0),
    text: Array.from({ length: times }, () => text).join('\n\n'),
  }
  if (decode(pack.content, rosetta) !== pack.text)
    throw new Error('the reduced pack does not decode to its text')
  return pack
}

function timeDecode({ content, rosetta, uses, text }: LargePack): DecodeSpeed {
  const decodeTimes: number[] = []
  const loopTimes: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const started = performance.now()
    const decoded = decode(content, rosetta)
    // Reads the result, so that a string that is concatenated lazily is paid for here.
    const first = decoded.charCodeAt(0)
    const middle = performance.now()
    const sum = sumCodes(text)
    const ended = performance.now()
    if (decoded.length !== text.length || Number.isNaN(first + sum)) throw new Error('decode lost text')
    decodeTimes.push(middle - started)
    loopTimes.push(ended - middle)
  }
  const megabytes = text.length / 1e6
  const speedOf = (times: readonly number[]): number => (1000 * megabytes) / medianOf(times)
  return {
    entries: rosetta.entries.length,
    uses,
    megabytes,
    decodeMBps: speedOf(decodeTimes),
    loopMBps: speedOf(loopTimes),
    ratio: medianOf(decodeTimes.map((time, round) => (loopTimes[round] ?? 0) / time)),
  }
}

function sumCodes(text: string): number {
  let sum = 0
  for (let index = 0; index < text.length; index++) sum = (sum + text.charCodeAt(index)) | 0
  return sum
}
