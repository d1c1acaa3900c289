// `pnpm bench`: savings, compress speed, decode speed and builds of a folder, over the shared corpus. Saved as
// bench/results/savings.json. The vocabularies are saved as vocabularies.json.
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { FAMILIES } from '../scripts/tokenizers/families.ts'
import { BUILD_STEPS, measureBuildSpeed } from './build-speed.ts'
import { measureCompressSpeed } from './compress-speed.ts'
import { measureDecodeSpeed } from './decode-speed.ts'
import { loadBodies, loadTree } from './documents.ts'
import { measureKeptLetters } from './kept-letters.ts'
import { createProgress, describeMachine } from './measure.ts'
import { comparePeers } from './peers.ts'
import { ROOT } from './program.ts'
import { saveResults } from './results.ts'
import type { RuleSavings, SavingsResults, Tree } from './results-page.ts'
import { measureSavings } from './savings.ts'
import { selectTimedPairs } from './timed-pairs.ts'
import trees from './trees.json' with { type: 'json' }
import { listRuleVariants, listVariants } from './variants.ts'
import { measureVocabularies } from './vocabularies.ts'

const HELP = `pnpm bench [--only savings|speed|decode|build|vocabularies|letters|rules] [--scheme NAME] [--quick]

  --only PART     one part instead of the first four; vocabularies need those of scripts/tokenizers;
                  letters are those that phrases keep through edits; rules are those of minify-1
  --trees FOLDER  for rules: the folders of trees.json, each with its pages
  --scheme NAME   minify-1, dense-2 or max-2 instead of all
  --quick         every sixth document, three timings

A run without these flags over the shared corpus is saved, and so are the vocabularies.
`
const PARTS = ['savings', 'speed', 'decode', 'build'] as const

const { values: flags } = parseArgs({
  options: {
    only: { type: 'string' },
    scheme: { type: 'string' },
    trees: { type: 'string', default: '.' },
    quick: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
const variants = listVariants(flags.scheme)
const parts: readonly string[] = flags.only === undefined ? PARTS : [flags.only]
if (flags.help || variants.length === 0) process.stdout.write(HELP)
else if (flags.only === 'vocabularies') await runVocabularies()
else if (flags.only === 'letters') await printKeptLetters()
else if (flags.only === 'rules') await runRules()
else await main()

async function main(): Promise<void> {
  const corpus = await loadBodies(ROOT)
  const takeSome = <T>(items: readonly T[], step: number): readonly T[] =>
    flags.quick ? items.filter((_, index) => index % step === 0) : items
  const documents = takeSome(corpus.documents, 6)
  const pairs = takeSome(selectTimedPairs(corpus.documents), 4)
  const measured = parts.includes('savings')
    ? variants.map((variant) =>
        measureSavings(documents, variant, createProgress(`savings ${variant.name}`, documents.length)),
      )
    : []
  const speed: SavingsResults['speed'][number][] = []
  for (const variant of parts.includes('speed') ? variants : []) {
    const tick = createProgress(`speed ${variant.name}`, pairs.length)
    speed.push(await measureCompressSpeed(pairs, variant, tick))
  }
  const sum = (of: (document: (typeof documents)[number]) => number): number =>
    documents.reduce((total, document) => total + of(document), 0)
  const results: SavingsResults = {
    corpus: {
      name: corpus.name,
      documents: documents.length,
      bytes: sum(({ bytes }) => bytes),
      tokens: sum(({ tokens }) => tokens),
    },
    machine: describeMachine(),
    savings: measured.map(({ files: _files, ...savings }) => savings),
    speed,
    decode: parts.includes('decode') ? measureDecodeSpeed(corpus.documents) : [],
    build: parts.includes('build')
      ? await measureBuildSpeed(corpus.documents, createProgress('build', BUILD_STEPS))
      : [],
    peers: comparePeers(ROOT, measured),
  }
  const isFull = flags.only === undefined && flags.scheme === undefined && !flags.quick
  if (isFull && corpus.name === 'corpus') await saveResults('savings', results)
  else process.stdout.write(`${JSON.stringify(results, null, 1)}\n`)
  if (measured.some(({ roundTripFailures, worse }) => roundTripFailures + worse > 0)) process.exitCode = 1
}

async function printKeptLetters(): Promise<void> {
  const { documents } = await loadBodies(ROOT)
  const lettered = variants.filter(({ options }) => options.scheme !== 'minify-1')
  for (const variant of lettered)
    process.stdout.write(`${JSON.stringify(measureKeptLetters(documents, variant))}\n`)
}

async function runVocabularies(): Promise<void> {
  const { name, documents } = await loadBodies(ROOT)
  const results = measureVocabularies(documents, variants)
  await saveResults('vocabularies', { corpus: name, documents: documents.length, results })
  if (results.some(({ worse }) => worse.length > 0)) process.exitCode = 1
}

async function runRules(): Promise<void> {
  const results: RuleSavings[] = []
  for (const tree of trees as readonly Tree[]) {
    const documents = await loadTree(join(flags.trees, tree.name))
    const variants = listRuleVariants(tree.dialect)
    const savings = [
      ...measureVocabularies(documents, variants, ['o200k_base']),
      ...measureVocabularies(documents, variants.slice(0, 1), FAMILIES.slice(1)),
    ]
    const tokens = documents.reduce((sum, document) => sum + document.tokens, 0)
    results.push({ tree, pages: documents.length, tokens, savings })
  }
  await saveResults('rules', { trees: results })
}
