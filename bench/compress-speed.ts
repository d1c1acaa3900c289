import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { medianOf, round } from './measure.ts'
import type { TimedPair } from './timed-pairs.ts'
import type { Variant } from './variants.ts'

export interface CompressSpeed {
  readonly variant: string
  /** Median over documents of compression time ÷ tokenisation time. */
  readonly ratio: number
  readonly documents: number
  readonly least: number
  readonly most: number
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
  const ratios: number[] = []
  for (const { document, warmup } of pairs) {
    const { encodeMs, compressMs } = await timeInProcess({
      warmup,
      text: document.text,
      options: variant.options,
    })
    ratios.push(compressMs / encodeMs)
    onDocument()
  }
  return {
    variant: variant.name,
    ratio: round(medianOf(ratios)),
    documents: ratios.length,
    least: round(Math.min(...ratios)),
    most: round(Math.max(...ratios)),
  }
}

async function timeInProcess(request: TimingRequest): Promise<{ encodeMs: number; compressMs: number }> {
  const running = promisify(execFile)(process.execPath, ['-C', 'source', child])
  running.child.stdin?.end(JSON.stringify(request))
  const { stdout } = await running
  return JSON.parse(stdout) as { encodeMs: number; compressMs: number }
}
