import { visitWords } from '../analysis/split-words.ts'
import { deriveTerms } from '../analysis/terms.ts'
import { CHINESE, JAPANESE } from './east-asian.ts'
import { ENGLISH } from './english.ts'

let synonyms: ReadonlyMap<string, readonly string[]> | undefined

/**
 * Returns the terms that stand for a term in technical texts.
 *
 * @example
 * listSynonyms('repo') // ['repositori']
 */
export function listSynonyms(term: string): readonly string[] {
  synonyms ??= readGroups([ENGLISH, JAPANESE, CHINESE])
  return synonyms.get(term) ?? []
}

function readGroups(texts: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, Set<string>>()
  for (const group of texts.flatMap((text) => text.split(';'))) {
    const terms = group.split(/\s+/).flatMap((word) => readSingleTerm(word) ?? [])
    for (const term of terms) {
      const others = found.get(term) ?? new Set()
      for (const other of terms) if (other !== term) others.add(other)
      found.set(term, others)
    }
  }
  return new Map([...found].map(([term, others]) => [term, [...others]]))
}

/** Returns the one term that a word is found by; `undefined` if it takes several. */
function readSingleTerm(text: string): string | undefined {
  const found: string[] = []
  visitWords(text, (word) => {
    const terms = deriveTerms(word)
    const wholes = terms.filter(({ isWhole }) => isWhole)
    const pairs = terms.filter((term) => word.kind === 'han' && Array.from(term.text).length === 2)
    const best = wholes.length > 0 ? wholes : pairs.length > 0 ? pairs : terms
    found.push(...best.map((term) => term.text))
  })
  return found.length === 1 ? found[0] : undefined
}
