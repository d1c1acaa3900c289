import type { Pack } from '@packs/codec/pack'
import { loadTokenizer, tokenizerNames, type TokenizerName } from '@packs/codec/tokens'

/** A pack counted in a tokenizer; the header is 0 where there is none to pay. */
export interface TokenizerCounts {
  readonly tokenizer: TokenizerName
  readonly source: number
  readonly content: number
  readonly header: number
  readonly net_savings_pct: number
}

/** Counts a pack in every tokenizer, its own first. */
export async function countTokenizers(
  { compression, content, rosetta, tokenizer: own }: Pack,
  text: string,
): Promise<TokenizerCounts[]> {
  const names = [own, ...tokenizerNames.filter((name) => name !== own)]
  return Promise.all(
    names.map(async (name) => {
      const tokenizer = await loadTokenizer(name)
      const source = tokenizer.countTokens(text)
      const counts = {
        source,
        content: tokenizer.countTokens(content),
        header: compression === 'none' ? 0 : tokenizer.countTokens(rosetta),
      }
      const saved = source === 0 ? 0 : 100 * (1 - (counts.content + counts.header) / source)
      return { tokenizer: name, ...counts, net_savings_pct: Math.round(100 * saved) / 100 }
    }),
  )
}
