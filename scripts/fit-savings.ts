// Prints the table of packages/codec/src/compress/triage/expect-savings.ts from the documents of the benchmark.
import { fileURLToPath } from 'node:url'
import { compress } from '@packs/codec/compress'
import { loadCorpus } from '../bench/documents.ts'
import { MARGIN, SIZES } from '../packages/codec/src/compress/triage/expect-savings.ts'
import { triageDocument } from '../packages/codec/src/compress/triage/triage-document.ts'
import { fitLine, type Sample } from './fit-line.ts'

/** Part of the documents that shall lie in the range. */
const COVERAGE = 0.85
const VARIANTS = [
  ['glossary-1', false],
  ['glossary-1', true],
  ['dense-1', false],
  ['max-1', false],
] as const

const { documents } = await loadCorpus(fileURLToPath(new URL('..', import.meta.url)))
const triages = documents.map(({ text }) => triageDocument(text))

for (const [scheme, code] of VARIANTS) {
  const samples = documents.map(({ file, text }, place): Sample => {
    const { tokens, repetition, proseRepetition } = triages[place]!
    const result = compress(text, { scheme, code })
    return {
      folder: file.split('/')[0]!,
      size: SIZES.filter((least) => tokens >= least).length,
      repetition: scheme === 'glossary-1' && !code ? proseRepetition : repetition,
      net: 100 * (1 - (result.tokens.content + result.tokens.rosetta) / result.tokens.source),
    }
  })
  const { slope, offsets, spread } = fitLine(samples, SIZES.length + 1, COVERAGE, MARGIN)
  const figures = `slope: ${slope.toFixed(1)}, offsets: [${offsets.map((each) => each.toFixed(1)).join(', ')}], spread: ${spread.toFixed(2)}`
  process.stdout.write(`{ scheme: '${scheme}', code: ${code}, ${figures} },\n`)
  for (const folder of new Set(samples.map((sample) => sample.folder))) {
    const others = samples.filter((sample) => sample.folder !== folder)
    const own = samples.filter((sample) => sample.folder === folder)
    const line = fitLine(others, SIZES.length + 1, COVERAGE, MARGIN)
    const inside = own.filter((sample) => line.holds(sample)).length
    process.stdout.write(`  // without ${folder}: holds ${inside} of its ${own.length}\n`)
  }
}
