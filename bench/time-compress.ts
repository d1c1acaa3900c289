// Child of compress-speed.ts: one request on stdin, one line of JSON on stdout.
import { text as readText } from 'node:stream/consumers'
import type { TimingRequest } from './compress-speed.ts'
import { encode } from './reference-tokenizer.ts'
import { compress } from './variants.ts'

const { warmup, text, options } = JSON.parse(await readText(process.stdin)) as TimingRequest
encode(warmup)
compress(warmup, options)

const encodeMs = timeThread(() => encode(text))
const compressMs = timeThread(() => compress(text, options))
process.stdout.write(JSON.stringify({ encodeMs, compressMs }))

/** Returns the processor time of this thread in milliseconds, without the time it waited for a core. */
function timeThread(work: () => unknown): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}
