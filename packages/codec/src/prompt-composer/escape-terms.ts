import { CompressError } from '../compress/compress-error.ts'
import { listLetters } from '../compress/terms/letter-table.ts'
import { createTermGenerator, isWordTerm } from '../prompt/free-terms.ts'
import type { Tokenizer } from '../tokens/types.ts'

/**
 * Chooses new terms for those of a header that stand literally in other texts: an entry of its own means the term
 * itself. They occur in no text. A word gets letters at its end, so it passes in the same places; any other term gets
 * a symbol, which passes everywhere.
 *
 * @returns a function from the index of a term to the new one, always the same
 */
export function createEscapes(
  terms: readonly string[],
  texts: readonly string[],
  tokenizer: Tokenizer,
): (entry: number) => string {
  const present = new Uint8Array(0x10000)
  for (const text of texts) for (let at = 0; at < text.length; at++) present[text.charCodeAt(at)] = 1
  const symbols = listLetters(tokenizer).values()
  const chooseWord = createTermGenerator(texts, 0)
  const chosen = new Map<number, string>()

  function choose(term: string): string | undefined {
    if (isWordTerm(term)) return chooseWord(term)
    for (const { term: symbol } of symbols) if (!present[symbol.charCodeAt(0)]) return symbol
    return undefined
  }

  return (entry) => {
    const term = terms[entry]!
    const escape = chosen.get(entry) ?? choose(term)
    if (escape === undefined) {
      throw new CompressError(
        'term_collision',
        `No term is left for ${JSON.stringify(term)}, a term of the prompt that stands in an added pack`,
        'Compose all packs anew.',
      )
    }
    chosen.set(entry, escape)
    return escape
  }
}
