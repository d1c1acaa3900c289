import type { Tokenizer } from '../../tokens/types.ts'
import { countSharedForms } from './shared-forms.ts'

/** A character that can stand as a term anywhere: one token, no word character, no mark. */
export interface TermSymbol {
  readonly term: string
  /** A space before it costs nothing: both are one token. */
  readonly takesSpace: boolean
  /** `|`, the term and `=` are two tokens in the header. */
  readonly isCheap: boolean
}

/**
 * All one-token symbols of a tokenizer, the most readable first: ASCII marks, signs, punctuation, then Han, Hangul
 * and kana (for texts that have none of theirs), emoji last. Within each of these, first those that are one token in
 * both tokenizers.
 */
export function listSymbols(tokenizer: Tokenizer): readonly TermSymbol[] {
  const known = KNOWN.get(tokenizer)
  if (known) return known
  const tiers: TermSymbol[][] = TIERS.map(() => [])
  for (const term of tokenizer.vocabulary()) {
    if (term.length !== 1) continue
    const tier = TIERS.findIndex((pattern) => pattern.test(term))
    if (tier < 0 || UNFIT.test(term) || !tokenizer.isOneToken(term)) continue
    const count = (before: string, after: string): number => tokenizer.countTokens(before + term + after)
    const isCheap = count('|', '=') === 2
    tiers[tier]!.push({
      term,
      takesSpace: count('x ', ' y') === 3,
      isCheap,
    })
  }
  const symbols = tiers.flatMap((tier) => tier.toSorted((a, b) => rankShared(b) - rankShared(a)))
  KNOWN.set(tokenizer, symbols)
  return symbols
}

function rankShared({ term, takesSpace }: TermSymbol): number {
  return countSharedForms(term, takesSpace)
}

const KNOWN = new WeakMap<Tokenizer, readonly TermSymbol[]>()
const UNFIT = /[\p{M}\p{N}\p{C}\p{Z}\u2800\ufffc\ufffd\uff1d\uff3c\uff5c]/u
// Not Extended_Pictographic: Unicode 17 takes it from 172 characters below U+10000, and all Nodes are to give the same pack.
const TIERS: readonly RegExp[] = [
  /[!%/~;?}"]/,
  /(?!\p{Emoji})[\u00a1-\uffff](?<=\p{S}|[§¶†‡※●■□◆◇])(?<![\uff00-\uffef´¨¯¸˚˜˝΄])/u,
  /(?!\p{Emoji})[\u00a1-\uffff](?<=[\p{P}\p{S}])/u,
  /\p{Script=Han}/u,
  /\p{Script=Hangul}/u,
  /[\p{Script=Hiragana}\p{Script=Katakana}]/u,
  /[\u00a1-\uffff](?<=[\p{P}\p{S}])/u,
]
