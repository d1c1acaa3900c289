// `pnpm bench`: savings, compress speed, decode speed and builds of a folder; a full run is saved in bench/results.
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { BUILD_STEPS, measureBuildSpeed } from './build-speed.ts'
import { measureCompressSpeed } from './compress-speed.ts'
import { measureDecodeSpeed } from './decode-speed.ts'
import { loadCorpus, type BenchDocument } from './documents.ts'
import { comparePeers } from './peers.ts'
import { createProgress } from './progress.ts'
import { putFigures } from './put-figures.ts'
import { formatReport } from './report.ts'
import { describeMachine, type BenchResults } from './results.ts'
import { measureSavings } from './savings.ts'
import { selectTimedPairs } from './timed-pairs.ts'
import { listVariants } from './variants.ts'

const HELP = `pnpm bench [--only savings|speed|decode|build] [--scheme NAME] [--quick] [--json]

  --only PART     one part instead of all four
  --scheme NAME   glossary-1, dense-1 or max-1 instead of all
  --quick         every sixth document, three timings
  --json          the results as JSON on stdout instead of tables

A run without these flags is saved as bench/results/latest.json and latest.md, and in docs/benchmark.md if it is over
the shared corpus.
`

interface Flags {
  readonly only?: string
  readonly scheme?: string
  readonly quick: boolean
  readonly json: boolean
  readonly help: boolean
}

const PARTS = ['savings', 'speed', 'decode', 'build']
const flags = readFlags()

if (flags?.help === true) process.stdout.write(HELP)
else if (flags !== undefined) await main(flags)

function readFlags(): Flags | undefined {
  try {
    const { values } = parseArgs({
      options: {
        only: { type: 'string' },
        scheme: { type: 'string' },
        quick: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
    if (values.only === undefined || PARTS.includes(values.only)) return values
    fail(`--only ${values.only}: not one of ${PARTS.join(', ')}`)
  } catch (error) {
    fail(error instanceof Error ? error.message : String(error))
  }
  return undefined
}

async function main(flags: Flags): Promise<void> {
  const root = fileURLToPath(new URL('..', import.meta.url))
  const corpus = await loadCorpus(root)
  const variants = listVariants(flags.scheme)
  if (variants.length === 0) return fail(`--scheme ${flags.scheme ?? ''}: the compressor has no such scheme`)
  const isWanted = (part: string): boolean => flags.only === undefined || flags.only === part
  const documents = flags.quick ? takeEvery(corpus.documents, 6) : corpus.documents
  const pairs = flags.quick
    ? takeEvery(selectTimedPairs(corpus.documents), 4)
    : selectTimedPairs(corpus.documents)

  const savings = isWanted('savings')
    ? variants.map((variant) =>
        measureSavings(documents, variant, createProgress(`savings ${variant.name}`, documents.length)),
      )
    : []
  const speed = []
  for (const variant of isWanted('speed') ? variants : []) {
    speed.push(
      await measureCompressSpeed(pairs, variant, createProgress(`speed ${variant.name}`, pairs.length)),
    )
  }
  const results: BenchResults = {
    corpus: { name: corpus.name, sample: flags.quick, ...sumSizes(documents) },
    machine: describeMachine(),
    savings,
    speed,
    decode: isWanted('decode') ? measureDecodeSpeed(corpus.documents) : [],
    build: isWanted('build')
      ? await measureBuildSpeed(corpus.documents, createProgress('build', BUILD_STEPS))
      : [],
    peers: comparePeers(root, savings),
  }
  await report(results, flags)
}

async function report(results: BenchResults, flags: Flags): Promise<void> {
  const json = `${JSON.stringify(results, null, 2)}\n`
  const markdown = formatReport(results)
  process.stdout.write(flags.json ? json : markdown)
  if (flags.only === undefined && flags.scheme === undefined && !flags.quick) {
    await writeFile(new URL('./results/latest.json', import.meta.url), json)
    await writeFile(new URL('./results/latest.md', import.meta.url), markdown)
    if (results.corpus.name === 'corpus') {
      const page = new URL('../docs/benchmark.md', import.meta.url)
      await writeFile(page, putFigures(await readFile(page, 'utf8'), results))
    }
  }
  if (results.savings.some(({ roundTripFailures, worse }) => roundTripFailures + worse > 0))
    process.exitCode = 1
}

function takeEvery<T>(items: readonly T[], step: number): readonly T[] {
  return items.filter((_, index) => index % step === 0)
}

function sumSizes(documents: readonly BenchDocument[]): { documents: number; bytes: number; tokens: number } {
  return {
    documents: documents.length,
    bytes: documents.reduce((sum, { bytes }) => sum + bytes, 0),
    tokens: documents.reduce((sum, { tokens }) => sum + tokens, 0),
  }
}

function fail(message: string): void {
  process.stderr.write(`${message}\n`)
  process.exitCode = 2
}
