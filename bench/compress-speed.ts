import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { medianOf } from './median.ts'
import type { TimedPair } from './timed-pairs.ts'
import type { Variant } from './variants.ts'

/** Milliseconds of one document in a fresh process: its first tokenisation and its compression. */
export interface CompressTiming {
  readonly file: string
  readonly bytes: number
  readonly encodeMs: number
  readonly compressMs: number
}

export interface CompressSpeed {
  readonly variant: string
  /** Median over documents of compression time ÷ tokenisation time. */
  readonly ratio: number
  readonly files: readonly (CompressTiming & { readonly ratio: number })[]
}

/** Request to the child process, written to its standard input. */
export interface TimingRequest {
  readonly warmup: string
  readonly text: string
  readonly options: Variant['options']
}

const child = fileURLToPath(new URL('./time-compress.ts', import.meta.url))

/** Times each document in its own process, after warming the process on the pair's other text. */
export async function measureCompressSpeed(
  pairs: readonly TimedPair[],
  variant: Variant,
  onDocument: () => void,
): Promise<CompressSpeed> {
  const files = []
  for (const { document, warmup } of pairs) {
    const { encodeMs, compressMs } = await timeInProcess({
      warmup,
      text: document.text,
      options: variant.options,
    })
    files.push({
      file: document.file,
      bytes: document.bytes,
      encodeMs,
      compressMs,
      ratio: compressMs / encodeMs,
    })
    onDocument()
  }
  return { variant: variant.name, ratio: medianOf(files.map((file) => file.ratio)), files }
}

async function timeInProcess(request: TimingRequest): Promise<{ encodeMs: number; compressMs: number }> {
  const running = promisify(execFile)(process.execPath, ['-C', 'source', child])
  running.child.stdin?.end(JSON.stringify(request))
  const { stdout } = await running
  return JSON.parse(stdout) as { encodeMs: number; compressMs: number }
}
