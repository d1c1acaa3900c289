// `pnpm bench:scale`: time and memory of compression from 10 KB to 10 MB; a full run is saved in bench/results.
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { loadCorpus } from './documents.ts'
import { formatTable } from './markdown-table.ts'
import { createProgress } from './progress.ts'
import { describeMachine } from './results.ts'
import { growText } from './scale/grow-text.ts'
import type { SizeRequest, SizeTiming } from './scale/time-size.ts'

const HELP = `pnpm bench:scale [--scheme NAME] [--max-kb N] [--json]

  --scheme NAME   glossary-1, dense-1 or max-1 instead of all
  --max-kb N      sizes up to N KB (10000)
  --json          the rows as JSON on stdout instead of a table

A run without flags is saved as bench/results/scale.json and scale.md.
`

const SCHEMES = ['glossary-1', 'dense-1', 'max-1'] as const
const SIZES_KB = [10, 100, 1_000, 10_000] as const
const KB = 1000
const WARMUP_KB = 100

interface ScaleRow extends SizeTiming {
  readonly scheme: string
  readonly bytes: number
  /** Time per byte as a multiple of that at 100 KB. */
  readonly perByte: number
}

const { values: flags } = parseArgs({
  options: {
    scheme: { type: 'string' },
    'max-kb': { type: 'string', default: String(SIZES_KB.at(-1)) },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
if (flags.help) process.stdout.write(HELP)
else await main()

async function main(): Promise<void> {
  const schemes = SCHEMES.filter((name) => flags.scheme === undefined || flags.scheme === name)
  const sizes = SIZES_KB.filter((size) => size <= Number(flags['max-kb']))
  if (schemes.length === 0 || sizes.length < 2) {
    process.stderr.write(HELP)
    process.exitCode = 2
    return
  }
  const { documents } = await loadCorpus(fileURLToPath(new URL('..', import.meta.url)))
  const texts = documents.map(({ text }) => text)
  const warmup = growText(texts.toReversed(), WARMUP_KB * KB)
  const tick = createProgress('scale', schemes.length * sizes.length)
  const rows: ScaleRow[] = []
  for (const scheme of schemes) {
    const timed = []
    for (const size of sizes) {
      const text = growText(texts, size * KB)
      timed.push({ bytes: Buffer.byteLength(text), ...(await timeInProcess({ warmup, text, scheme })) })
      tick()
    }
    const yardstick = timed.find((_, at) => sizes[at] === WARMUP_KB)!
    for (const row of timed) {
      const perByte = row.compressMs / row.bytes / (yardstick.compressMs / yardstick.bytes)
      rows.push({ scheme, ...row, perByte })
    }
  }
  const json = `${JSON.stringify({ machine: describeMachine(), rows }, null, 2)}\n`
  const markdown = formatScale(rows)
  process.stdout.write(flags.json ? json : markdown)
  if (schemes.length < SCHEMES.length || sizes.length < SIZES_KB.length) return
  await writeFile(new URL('./results/scale.json', import.meta.url), json)
  await writeFile(new URL('./results/scale.md', import.meta.url), markdown)
}

async function timeInProcess(request: SizeRequest): Promise<SizeTiming> {
  const child = fileURLToPath(new URL('./scale/time-size.ts', import.meta.url))
  const running = promisify(execFile)(process.execPath, ['--expose-gc', '-C', 'source', child])
  running.child.stdin?.end(JSON.stringify(request))
  return JSON.parse((await running).stdout) as SizeTiming
}

function formatScale(rows: readonly ScaleRow[]): string {
  const table = formatTable(
    ['scheme', 'KB', 's', 'time per byte (100 KB = 1)', 'bytes of memory an input byte'],
    rows.map(({ scheme, bytes, compressMs, perByte, peakBytes }) => [
      scheme,
      (bytes / KB).toFixed(0),
      (compressMs / 1000).toFixed(2),
      perByte.toFixed(2),
      (peakBytes / bytes).toFixed(0),
    ]),
  )
  return `# Time and memory by size

Compression with the proof that it decodes, each in a fresh process warmed on another 100 KB. Texts are the documents joined; where
they are too short, again with their words exchanged for one another. Memory is the peak beyond what the process had before,
tokenizer and text included; at small sizes it is what the engine takes in advance. Goals: time per byte at 10 MB at most 2, memory at
most 60.

${table}
`
}
