import { visitWords } from '../analysis/split-words.ts'
import { deriveTerms, type ReadingScope } from '../analysis/terms.ts'
import { CHINESE, JAPANESE } from './east-asian.ts'
import { ENGLISH } from './english.ts'

type Synonyms = ReadonlyMap<string, readonly string[]>

const synonyms: { [Scope in ReadingScope]?: Synonyms } = {}

/**
 * Returns the terms that stand for a term in technical texts.
 *
 * @example
 * listSynonyms('repo', 'full') // ['repositori']
 */
export function listSynonyms(term: string, scope: ReadingScope): readonly string[] {
  synonyms[scope] ??= readGroups([ENGLISH, JAPANESE, CHINESE], scope)
  return synonyms[scope].get(term) ?? []
}

function readGroups(texts: readonly string[], scope: ReadingScope): Synonyms {
  const found = new Map<string, Set<string>>()
  for (const group of texts.flatMap((text) => text.split(';'))) {
    const terms = group.split(/\s+/).flatMap((word) => readSingleTerm(word, scope) ?? [])
    for (const term of terms) {
      const others = found.get(term) ?? new Set()
      for (const other of terms) if (other !== term) others.add(other)
      found.set(term, others)
    }
  }
  return new Map([...found].map(([term, others]) => [term, [...others]]))
}

/** Returns the one term that a word is found by; `undefined` if it takes several. */
function readSingleTerm(text: string, scope: ReadingScope): string | undefined {
  const found: string[] = []
  visitWords(text, (word) => {
    const terms = deriveTerms(word, scope)
    const wholes = terms.filter(({ role }) => role === 'whole')
    const best = wholes.length > 0 ? wholes : terms.filter(({ role }) => role === 'part')
    found.push(...best.map((term) => term.text))
  })
  return found.length === 1 ? found[0] : undefined
}
