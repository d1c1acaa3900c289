import { FAMILIES, loadFamily } from '../scripts/tokenizers/families.ts'
import type { BenchDocument } from './documents.ts'
import { createProgress } from './measure.ts'
import { compress, type Variant } from './variants.ts'

/** Net savings of one variant in one tokenizer, in percent of the source's tokens there. */
export interface FamilySavings {
  readonly family: string
  readonly variant: string
  /** Over all tokens at once, the median of the documents, and the share of those with 2 % and more. */
  readonly pooled: number
  readonly median: number
  readonly saving: number
  /** Documents whose pack costs more than its source, with the tokens that it costs more. */
  readonly worse: readonly { readonly file: string; readonly tokens: number }[]
}

/** Counts packs built for o200k_base in the public tokenizers of families of models. */
export function measureVocabularies(
  documents: readonly BenchDocument[],
  variants: readonly Variant[],
  families: readonly string[] = FAMILIES,
): FamilySavings[] {
  const tick = createProgress('vocabularies', families.length * variants.length)
  const packs = variants.map(({ name, options }) => ({
    variant: name,
    texts: documents.map(({ text }) => {
      const { entries, content, rosetta } = compress(text, options)
      return entries.length === 0 ? [content] : [content, rosetta]
    }),
  }))
  return families.map(loadFamily).flatMap(({ name, countTokens }) => {
    const sources = documents.map(({ text }) => countTokens(text))
    return packs.map(({ variant, texts }): FamilySavings => {
      const paid = texts.map((pack) => sum(pack.map(countTokens)))
      const shares = sources.map((source, at) => 100 * (1 - paid[at]! / source)).toSorted((a, b) => a - b)
      tick()
      const worse = documents.map(({ file }, at) => ({ file, tokens: paid[at]! - sources[at]! }))
      return {
        family: name,
        variant,
        pooled: 100 * (1 - sum(paid) / sum(sources)),
        median: shares[shares.length >> 1]!,
        saving: (100 * shares.filter((share) => share >= 2).length) / shares.length,
        worse: worse.filter(({ tokens }) => tokens > 0),
      }
    })
  })
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
