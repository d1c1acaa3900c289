// `pnpm bench:large-set`: time of compression for 1 MB of documents; a full run is saved in bench/results.
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { type BenchDocument, loadCorpus } from './documents.ts'
import type { SetRequest, SetTiming } from './large-set/time-set.ts'
import { formatTable } from './markdown-table.ts'
import { createProgress } from './progress.ts'
import { describeMachine } from './results.ts'

const HELP = `pnpm bench:large-set [--scheme NAME] [--json]

  --scheme NAME   glossary-1, dense-1 or max-1 instead of all
  --json          the rows as JSON on stdout instead of a table

A run over the shared corpus without flags is saved as bench/results/large-set.json and large-set.md.
`

/** Most tokenisations that a compression may take. */
const GOALS = { 'glossary-1': 10, 'dense-1': 20, 'max-1': 30 } as const
const SCHEMES = ['glossary-1', 'dense-1', 'max-1'] as const
const BYTES = 1_000_000
const WARMUP_BYTES = 100_000
/** Processes for each row, of which the one with the median ratio is shown. */
const RUNS = 3

interface SetRow extends SetTiming {
  readonly scheme: (typeof SCHEMES)[number]
  readonly bytes: number
  readonly ratio: number
}

const { values: flags } = parseArgs({
  options: {
    scheme: { type: 'string' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
if (flags.help) process.stdout.write(HELP)
else await main()

async function main(): Promise<void> {
  const schemes = SCHEMES.filter((name) => flags.scheme === undefined || flags.scheme === name)
  if (schemes.length === 0) {
    process.stderr.write(HELP)
    process.exitCode = 2
    return
  }
  const { name, documents } = await loadCorpus(fileURLToPath(new URL('..', import.meta.url)))
  const taken = takeInTurns(documents, BYTES)
  const rest = documents.filter((document) => !taken.includes(document))
  const warmup = takeInTurns(rest.length > 0 ? rest : documents, WARMUP_BYTES)
  const text = joinTexts(taken)
  const bytes = taken.reduce((sum, document) => sum + document.bytes, 0)
  const tick = createProgress('large set', schemes.length * RUNS)
  const rows: SetRow[] = []
  for (const scheme of schemes) {
    const runs: SetTiming[] = []
    for (let run = 0; run < RUNS; run++) {
      runs.push(await timeInProcess({ warmup: joinTexts(warmup), text, scheme }))
      tick()
    }
    const [timing, ratio] = chooseMedian(runs)
    rows.push({ scheme, bytes, ratio, ...timing })
  }
  const json = `${JSON.stringify({ machine: describeMachine(), rows }, null, 2)}\n`
  const markdown = formatRows(rows)
  process.stdout.write(flags.json ? json : markdown)
  if (schemes.length < SCHEMES.length || flags.json || name !== 'corpus') return
  await writeFile(new URL('./results/large-set.json', import.meta.url), json)
  await writeFile(new URL('./results/large-set.md', import.meta.url), markdown)
}

/** Takes documents until they have `bytes` in all: the first of each folder, the second of each folder, and so on. */
function takeInTurns(documents: readonly BenchDocument[], bytes: number): BenchDocument[] {
  const turns = new Map<string, number>()
  const ranked = documents.map((document) => {
    const folder = document.file.split('/')[0]!
    const turn = turns.get(folder) ?? 0
    turns.set(folder, turn + 1)
    return { document, turn }
  })
  const taken: BenchDocument[] = []
  let size = 0
  for (const { document } of ranked.toSorted((a, b) => a.turn - b.turn)) {
    if (size >= bytes) break
    taken.push(document)
    size += document.bytes
  }
  return taken
}

function joinTexts(documents: readonly BenchDocument[]): string {
  return documents.map(({ text }) => text).join('\n\n')
}

function chooseMedian(runs: readonly SetTiming[]): [SetTiming, ratio: number] {
  const rated = runs.map((run): [SetTiming, number] => [run, run.compressMs / run.encodeMs])
  return rated.sort((a, b) => a[1] - b[1])[rated.length >> 1]!
}

async function timeInProcess(request: SetRequest): Promise<SetTiming> {
  const child = fileURLToPath(new URL('./large-set/time-set.ts', import.meta.url))
  const running = promisify(execFile)(process.execPath, ['--expose-gc', '-C', 'source', child])
  running.child.stdin?.end(JSON.stringify(request))
  return JSON.parse((await running).stdout) as SetTiming
}

function formatRows(rows: readonly SetRow[]): string {
  const table = formatTable(
    [
      'scheme',
      'KB',
      's',
      'tokenisations',
      'goal',
      '',
      'saved %',
      'optimality',
      'bytes of memory an input byte',
    ],
    rows.map(({ scheme, bytes, compressMs, ratio, saved, optimality, peakBytes }) => [
      scheme,
      (bytes / 1000).toFixed(0),
      (compressMs / 1000).toFixed(2),
      `${ratio.toFixed(1)}×`,
      `≤ ${GOALS[scheme]}×`,
      ratio <= GOALS[scheme] ? 'met' : '**missed**',
      (100 * saved).toFixed(2),
      optimality.toFixed(3),
      (peakBytes / bytes).toFixed(0),
    ]),
  )
  return `# Large sets

Documents of all folders, 1 MB in all if the corpus has them, joined into one text. Time of compression with the proof that it
decodes ÷ time of a warm tokenisation of the same text by gpt-tokenizer in the same process, which was warmed on another
100 KB. Each row is the median of ${RUNS} processes.

${table}
`
}
