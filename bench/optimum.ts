// `pnpm bench:optimum` compares the compressor's selection and bound with the true optimum; a full run is saved in
// bench/results.
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { getTokenizer, loadTokenizer } from '@packs/codec/tokens'
import { loadCorpus } from './documents.ts'
import { formatOptimum } from './optimum/format-optimum.ts'
import { judgeOptimum, measureOptimum, type OptimumRow } from './optimum/measure-optimum.ts'
import { createProgress } from './progress.ts'

const HELP = `pnpm bench:optimum [--scheme NAME] [--every N] [--max-kb N] [--max-slots N] [--seconds N] [--json]

  --scheme NAME   glossary-1, dense-1 or max-1 instead of all
  --every N       every Nth document by size
  --max-kb N      documents of 2 to N KB (80)
  --max-slots N   skip the optimum of problems with more occurrences (150000)
  --seconds N     time limit for one optimum (120); if it is too short, its limits are compared
  --json          the rows as JSON on stdout instead of tables

Exits with 1 if a bound is below an optimum or a value above it. A run over all schemes and documents is saved as
bench/results/optimum.json and optimum.md.
`

const SCHEMES = ['glossary-1', 'dense-1', 'max-1'] as const
const KB = 1000
const LEAST_KB = 2
const MOST_KB = 80
const MOST_SLOTS = 150_000
const SECONDS = 120

const { values: flags } = parseArgs({
  options: {
    scheme: { type: 'string' },
    every: { type: 'string', default: '1' },
    'max-kb': { type: 'string', default: String(MOST_KB) },
    'max-slots': { type: 'string', default: String(MOST_SLOTS) },
    seconds: { type: 'string', default: String(SECONDS) },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
if (flags.help) process.stdout.write(HELP)
else await main()

async function main(): Promise<void> {
  const [every, most, maxSlots, seconds] = [
    flags.every,
    flags['max-kb'],
    flags['max-slots'],
    flags.seconds,
  ].map(Number) as [number, number, number, number]
  const schemes = SCHEMES.filter((name) => flags.scheme === undefined || flags.scheme === name)
  if (schemes.length === 0 || !(every >= 1) || !(most >= LEAST_KB) || !(maxSlots > 0) || !(seconds > 0)) {
    process.stderr.write(HELP)
    process.exitCode = 2
    return
  }
  await loadTokenizer('o200k_base')
  const tokenizer = getTokenizer('o200k_base')
  const { documents } = await loadCorpus(fileURLToPath(new URL('..', import.meta.url)))
  const chosen = documents
    .filter(({ bytes }) => bytes >= LEAST_KB * KB && bytes <= most * KB)
    .toSorted((a, b) => a.bytes - b.bytes)
    .filter((_, index) => index % every === 0)
  const rows: OptimumRow[] = []
  for (const scheme of schemes) {
    const tick = createProgress(`optimum ${scheme}`, chosen.length)
    for (const document of chosen) {
      rows.push(await measureOptimum(document, { scheme, tokenizer, maxSlots, seconds }))
      tick()
    }
  }
  const json = `${JSON.stringify(rows, null, 2)}\n`
  const markdown = formatOptimum(rows)
  process.stdout.write(flags.json ? json : markdown)
  if (schemes.length === SCHEMES.length && every === 1 && most >= MOST_KB) {
    await writeFile(new URL('./results/optimum.json', import.meta.url), json)
    await writeFile(new URL('./results/optimum.md', import.meta.url), markdown)
  }
  if (rows.some((row) => judgeOptimum(row).length > 0)) process.exitCode = 1
}
