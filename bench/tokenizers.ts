// `pnpm bench:tokenizers`: what packs built for o200k_base save in the tokenizers of other models. A run is saved as
// bench/results/tokenizers.json and tokenizers.md.
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { compress } from '@packs/codec/compress'
import { type BenchDocument, loadCorpus } from './documents.ts'
import { formatTable } from './markdown-table.ts'
import { createProgress } from './progress.ts'
import { FAMILIES, loadFamily, type Family } from './tokenizers/families.ts'
import { listVariants, type Variant } from './variants.ts'

/** Net savings of one variant in one tokenizer, in percent of the source's tokens there. */
interface FamilySavings {
  readonly family: string
  readonly variant: string
  /** Over all tokens at once, and as a mean over the documents. */
  readonly pooled: number
  readonly mean: number
  /** Documents whose pack costs more than its source, with the tokens that it costs more. */
  readonly worse: readonly { readonly file: string; readonly tokens: number }[]
}

interface Pack {
  readonly file: string
  /** Content and header as they are sent, or the source alone. */
  readonly texts: readonly string[]
}

const root = fileURLToPath(new URL('..', import.meta.url))
const corpus = await loadCorpus(root)
const variants = listVariants()
const packs = new Map(variants.map((variant) => [variant.name, buildPacks(corpus.documents, variant)]))
const results = FAMILIES.flatMap((name) => measureFamily(loadFamily(name)))
const markdown = formatResults(results)
await writeFile(
  new URL('results/tokenizers.json', import.meta.url),
  `${JSON.stringify({ corpus: corpus.name, documents: corpus.documents.length, results }, null, 2)}\n`,
)
await writeFile(new URL('results/tokenizers.md', import.meta.url), markdown)
process.stdout.write(markdown)
if (results.some(({ worse }) => worse.length > 0)) process.exitCode = 1

function buildPacks(documents: readonly BenchDocument[], { name, options }: Variant): Pack[] {
  const onDocument = createProgress(name, documents.length)
  return documents.map(({ file, text }) => {
    const { scheme, content, rosetta } = compress(text, options)
    onDocument()
    return { file, texts: scheme === 'none' ? [content] : [content, rosetta] }
  })
}

function measureFamily({ name, countTokens }: Family): FamilySavings[] {
  const onVariant = createProgress(name, variants.length)
  const sources = corpus.documents.map(({ text }) => countTokens(text))
  return variants.map(({ name: variant }) => {
    const paid = packs
      .get(variant)!
      .map(({ texts }) => texts.reduce((tokens, text) => tokens + countTokens(text), 0))
    onVariant()
    const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0)
    const shares = sources.map((source, document) => 100 * (1 - paid[document]! / source))
    const worse = corpus.documents.flatMap(({ file }, document) => {
      const tokens = paid[document]! - sources[document]!
      return tokens > 0 ? [{ file, tokens }] : []
    })
    return {
      family: name,
      variant,
      pooled: 100 * (1 - sum(paid) / sum(sources)),
      mean: sum(shares) / shares.length,
      worse,
    }
  })
}

function formatResults(all: readonly FamilySavings[]): string {
  const table = (pick: (one: FamilySavings) => string): string =>
    formatTable(
      ['scheme', ...FAMILIES],
      variants.map(({ name }) => [name, ...all.filter(({ variant }) => variant === name).map(pick)]),
    )
  const worse = all.reduce((count, one) => count + one.worse.length, 0)
  return `${[
    '# Packs in the tokenizers of other models',
    `${corpus.documents.length} documents of the ${corpus.name === 'corpus' ? 'shared corpus' : 'examples'}; packs built for o200k_base, ` +
      'counted in public vocabularies of eight families, header included, without special tokens.',
    'Net savings in percent of all tokens of the sources:',
    table(({ pooled }) => pooled.toFixed(2)),
    'Mean over the documents:',
    table(({ mean }) => mean.toFixed(2)),
    `Packs that cost more than their source in one of the tokenizers: ${worse}.`,
  ].join('\n\n')}\n`
}
