import { decode, parseRosetta, restore, serializeRosetta } from '@packs/codec'
import type { BenchDocument } from './documents.ts'
import { medianOf } from './measure.ts'
import { countTokens } from './reference-tokenizer.ts'
import { compress, type Variant } from './variants.ts'

/** Token counts of one compressed document, counted outside the codec. `rosetta` is 0 for an unchanged document. */
export interface DocumentSavings {
  readonly file: string
  readonly bytes: number
  readonly source: number
  readonly content: number
  readonly rosetta: number
  readonly entries: number
  /** Savings of the selection ÷ its certified upper bound, as reported by the compressor. */
  readonly optimality: number
  readonly roundTrip: boolean
}

/** Percentages of the source's tokens: `net` = `gross` − `header`. */
export interface Savings {
  readonly documents: number
  readonly gross: number
  readonly header: number
  readonly net: number
}

export interface VariantSavings {
  readonly variant: string
  /** Mean over documents. */
  readonly all: Savings
  /** Over all tokens at once. */
  readonly pooled: Savings
  readonly buckets: readonly (Savings & { readonly bucket: string })[]
  /** Share of the documents with a header, in percent. */
  readonly withHeader: number
  /** Median of `optimality` over documents of 15 KB and more. */
  readonly optimality: number
  /** Documents that cost more tokens than their source. */
  readonly worse: number
  readonly roundTripFailures: number
  readonly files: readonly DocumentSavings[]
}

const KB = 1000
const LARGE = 15 * KB
const BUCKETS = [
  { bucket: '< 5 KB', from: 0, to: 5 * KB },
  { bucket: '5-15 KB', from: 5 * KB, to: LARGE },
  { bucket: '15-60 KB', from: LARGE, to: 60 * KB },
  { bucket: '≥ 60 KB', from: 60 * KB, to: Infinity },
] as const

/** Compresses every document with `variant`; `onDocument` is called after each. */
export function measureSavings(
  documents: readonly BenchDocument[],
  variant: Variant,
  onDocument: () => void,
): VariantSavings {
  const files = documents.map((document) => {
    const result = measureDocument(document, variant)
    onDocument()
    return result
  })
  return summarizeSavings(variant.name, files)
}

/** Aggregates the counts of one variant. */
export function summarizeSavings(variant: string, files: readonly DocumentSavings[]): VariantSavings {
  return {
    variant,
    all: averageSavings(files),
    pooled: poolSavings(files),
    buckets: BUCKETS.map(({ bucket, from, to }) => ({
      bucket,
      ...averageSavings(files.filter((file) => file.bytes >= from && file.bytes < to)),
    })),
    withHeader: (100 * files.filter(({ rosetta }) => rosetta > 0).length) / Math.max(1, files.length),
    optimality: medianOf(files.filter((file) => file.bytes >= LARGE).map((file) => file.optimality)),
    worse: files.filter((file) => file.content + file.rosetta > file.source).length,
    roundTripFailures: files.filter((file) => !file.roundTrip).length,
    files,
  }
}

function measureDocument(document: BenchDocument, variant: Variant): DocumentSavings {
  const packed = compress(document.text, variant.options)
  const { content, rosetta, text, entries, optimality } = packed
  const parsed = parseRosetta(rosetta)
  return {
    file: document.file,
    bytes: document.bytes,
    source: document.tokens,
    content: countTokens(content),
    rosetta: entries.length === 0 ? 0 : countTokens(rosetta),
    entries: entries.length,
    optimality,
    roundTrip:
      decode(content, parsed) === text &&
      restore(packed) === document.text &&
      serializeRosetta(parsed) === rosetta,
  }
}

function averageSavings(files: readonly DocumentSavings[]): Savings {
  const each = files.map((file) => poolSavings([file]))
  const mean = (pick: (savings: Savings) => number): number =>
    each.length === 0 ? 0 : each.reduce((sum, savings) => sum + pick(savings), 0) / each.length
  return {
    documents: files.length,
    gross: mean((savings) => savings.gross),
    header: mean((savings) => savings.header),
    net: mean((savings) => savings.net),
  }
}

function poolSavings(files: readonly DocumentSavings[]): Savings {
  const sum = (pick: (file: DocumentSavings) => number): number =>
    files.reduce((total, file) => total + pick(file), 0)
  const source = sum((file) => file.source)
  const percent = (tokens: number): number => (source === 0 ? 0 : (100 * tokens) / source)
  const gross = percent(source - sum((file) => file.content))
  const header = percent(sum((file) => file.rosetta))
  return { documents: files.length, gross, header, net: gross - header }
}
