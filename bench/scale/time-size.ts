// Child of scale.ts: one request on stdin, one line of JSON on stdout.
import { text as readText } from 'node:stream/consumers'
import { decode } from '@packs/codec'
import { compress } from '@packs/codec/compress'

/** Request to the child process. */
export interface SizeRequest {
  readonly warmup: string
  readonly text: string
  readonly scheme: 'glossary-1' | 'dense-1' | 'max-1'
}

/** Processor time of the thread, and peak memory of the process minus the memory of tokenizer and text. */
export interface SizeTiming {
  readonly compressMs: number
  readonly peakBytes: number
}

const { warmup, text, scheme } = JSON.parse(await readText(process.stdin)) as SizeRequest
compress(warmup, { scheme })
globalThis.gc?.()
const before = process.memoryUsage.rss()
let peak = before
const compressMs = timeThread(() => {
  const { content, rosetta } = compress(text, { scheme })
  peak = process.resourceUsage().maxRSS * 1024
  if (decode(content, rosetta) !== text) throw new Error('the text did not come back')
})
const timing: SizeTiming = { compressMs, peakBytes: Math.max(0, peak - before) }
process.stdout.write(JSON.stringify(timing))

function timeThread(work: () => unknown): number {
  const start = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(start)
  return (user + system) / 1000
}
