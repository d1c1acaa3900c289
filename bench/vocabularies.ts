import { loadCompressor, loadTokenizer } from '@packs/codec/compress'
import { FAMILIES, loadFamily } from '../scripts/tokenizers/families.ts'
import type { BenchDocument } from './documents.ts'
import { createProgress } from './measure.ts'
import type { Variant } from './variants.ts'

await loadTokenizer('o200k_base')
const compress = await loadCompressor()

/** Net savings of one variant in one tokenizer, in percent of the source's tokens there. */
export interface FamilySavings {
  readonly family: string
  readonly variant: string
  /** Over all tokens at once, and as a mean over the documents. */
  readonly pooled: number
  readonly mean: number
  /** Documents whose pack costs more than its source, with the tokens that it costs more. */
  readonly worse: readonly { readonly file: string; readonly tokens: number }[]
}

/** Counts packs built for o200k_base in the public tokenizers of eight families of models. */
export function measureVocabularies(
  documents: readonly BenchDocument[],
  variants: readonly Variant[],
): FamilySavings[] {
  const tick = createProgress('vocabularies', FAMILIES.length * variants.length)
  const packs = variants.map(({ name, options }) => ({
    variant: name,
    texts: documents.map(({ text }) => {
      const { entries, content, rosetta } = compress(text, options)
      return entries.length === 0 ? [content] : [content, rosetta]
    }),
  }))
  return FAMILIES.map(loadFamily).flatMap(({ name, countTokens }) => {
    const sources = documents.map(({ text }) => countTokens(text))
    return packs.map(({ variant, texts }): FamilySavings => {
      const paid = texts.map((pack) => sum(pack.map(countTokens)))
      tick()
      const worse = documents.map(({ file }, at) => ({ file, tokens: paid[at]! - sources[at]! }))
      return {
        family: name,
        variant,
        pooled: 100 * (1 - sum(paid) / sum(sources)),
        mean: sum(sources.map((source, at) => 100 * (1 - paid[at]! / source))) / sources.length,
        worse: worse.filter(({ tokens }) => tokens > 0),
      }
    })
  })
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
