// Child of large-set.ts: one request on stdin, one line of JSON on stdout.
import { text as readText } from 'node:stream/consumers'
import { decode } from '@packs/codec'
import { compress, type CompressOptions } from '@packs/codec/compress'
import { encode } from '../reference-tokenizer.ts'

/** Request to the child process. */
export interface SetRequest {
  readonly warmup: string
  readonly text: string
  readonly scheme: NonNullable<CompressOptions['scheme']>
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

const { warmup, text, scheme } = JSON.parse(await readText(process.stdin)) as SetRequest
compress(warmup, { scheme })
timeEncode()
const before = timeEncode()
globalThis.gc?.()
const rss = process.memoryUsage.rss()
const start = process.threadCpuUsage()
const { content, rosetta, tokens, optimality } = compress(text, { scheme })
if (decode(content, rosetta) !== text) throw new Error('the text did not come back')
const used = process.threadCpuUsage(start)
const peak = process.resourceUsage().maxRSS * 1024
const encodeMs = Math.min(before, timeEncode())
const timing: SetTiming = {
  encodeMs,
  compressMs: (used.user + used.system) / 1000,
  peakBytes: Math.max(0, peak - rss),
  saved: 1 - (tokens.content + tokens.rosetta) / tokens.source,
  optimality,
}
process.stdout.write(JSON.stringify(timing))

/** Returns the least processor time of a few tokenisations of the whole text. */
function timeEncode(): number {
  const times = Array.from({ length: REPEATS }, () => {
    const from = process.threadCpuUsage()
    encode(text)
    const { user, system } = process.threadCpuUsage(from)
    return (user + system) / 1000
  })
  return Math.min(...times)
}
