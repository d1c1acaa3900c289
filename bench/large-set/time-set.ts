// Child of large-set.ts: one request on stdin, one line of JSON on stdout.
import { text as readText } from 'node:stream/consumers'
import { decode } from '@packs/codec'
import { compress, compressTogether, type CompressOptions } from '@packs/codec/compress'
import { encode } from '../reference-tokenizer.ts'

/** Request to the child process. */
export interface SetRequest {
  readonly warmup: string
  readonly texts: readonly string[]
  readonly scheme: NonNullable<CompressOptions['scheme']>
  /** Whether the texts are compressed as several with one header, instead of joined into one. */
  readonly together: boolean
}

/** Processor times of the thread, peak memory of the process minus that before, and the share of tokens saved. */
export interface SetTiming {
  readonly encodeMs: number
  readonly compressMs: number
  readonly peakBytes: number
  readonly saved: number
  readonly optimality: number
}

const REPEATS = 3

const { warmup, texts, scheme, together } = JSON.parse(await readText(process.stdin)) as SetRequest
const joined = texts.join('\n\n')
compress(warmup, { scheme })
timeEncode()
const before = timeEncode()
globalThis.gc?.()
const rss = process.memoryUsage.rss()
const start = process.threadCpuUsage()
const { tokens, optimality } = together ? compressTexts() : compressJoined()
const used = process.threadCpuUsage(start)
const peak = process.resourceUsage().maxRSS * 1024
const encodeMs = Math.min(before, timeEncode())
const timing: SetTiming = {
  encodeMs,
  compressMs: (used.user + used.system) / 1000,
  peakBytes: Math.max(0, peak - rss),
  saved: 1 - tokens.compressed / tokens.source,
  optimality,
}
process.stdout.write(JSON.stringify(timing))

/** Returns the least processor time of a few tokenisations of the whole set. */
function timeEncode(): number {
  const times = Array.from({ length: REPEATS }, () => {
    const from = process.threadCpuUsage()
    encode(joined)
    const { user, system } = process.threadCpuUsage(from)
    return (user + system) / 1000
  })
  return Math.min(...times)
}

interface Outcome {
  readonly tokens: { readonly source: number; readonly compressed: number }
  readonly optimality: number
}

function compressJoined(): Outcome {
  const { content, rosetta, tokens, optimality } = compress(joined, { scheme })
  if (decode(content, rosetta) !== joined) throw new Error('the text did not come back')
  return { tokens: { source: tokens.source, compressed: tokens.content + tokens.rosetta }, optimality }
}

function compressTexts(): Outcome {
  const { compressions, rosetta, headerTokens, optimality } = compressTogether(texts, { scheme })
  const isExact = compressions.every(({ content }, text) => decode(content, rosetta) === texts[text])
  if (!isExact) throw new Error('a text did not come back')
  const source = compressions.reduce((sum, { tokens }) => sum + tokens.source, 0)
  const contents = compressions.reduce((sum, { tokens }) => sum + tokens.content, 0)
  return { tokens: { source, compressed: contents + (headerTokens.at(-1) ?? 0) }, optimality }
}
