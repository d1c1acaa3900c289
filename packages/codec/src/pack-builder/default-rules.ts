import { listRuleErrors } from '../compress/candidates/check-glossary.ts'
import { PhraseFinder } from '../compress/text/phrase-finder.ts'
import type { GlossaryRule } from '../compress/types.ts'
import { MAX_GLOSSARY, MAX_RULES } from '../pack/field-limits.ts'
import { countJsonBytes } from '../pack/canonical-json.ts'
import type { Source } from '../source/types.ts'
import type { Diagnostics } from './diagnostics.ts'

/** Number of rules that the file itself has; the others are defaults, for many files at once. */
export function countOwnRules({ glossary, defaults }: Source): number {
  return glossary.length - (defaults?.glossary?.length ?? 0)
}

/**
 * Drops the default rules whose term is already in the text, with an info. For a rule of the file
 * itself that is an error, but a glossary for many files cannot fit every file.
 */
export function dropUsedTerms(source: Source, diagnostics: Diagnostics): Source {
  const own = countOwnRules(source)
  const rules = source.glossary.slice(own)
  const errors = rules.length > 0 ? listRuleErrors(rules, source.body) : []
  const kept = rules.filter((_, index) => errors[index]?.code !== 'term_collision')
  if (kept.length === rules.length) return source
  const terms = rules.filter((rule) => !kept.includes(rule)).map(({ term }) => JSON.stringify(term))
  const more = terms.length > 10 ? ` and ${terms.length - 10} more` : ''
  diagnostics.report(
    'glossary-left-out',
    { line: 1, column: 1 },
    `Terms of the defaults glossary that the text has already are not used: ${terms.slice(0, 10).join(', ')}${more}`,
    'Nothing to do, unless the glossary should have other terms.',
  )
  const glossary = [...source.glossary.slice(0, own), ...kept]
  return { ...source, glossary, defaults: { ...source.defaults, glossary: kept } }
}

/**
 * Returns the rules that the pack document carries: the file's own, and the defaults whose phrase
 * its text has. If they are larger than a document allows, it carries none, with an info.
 */
export function choosePackRules(source: Source, diagnostics: Diagnostics): GlossaryRule[] {
  const own = countOwnRules(source)
  const defaults = source.glossary.slice(own)
  const found = new Set<number>()
  if (defaults.length > 0) {
    const finder = new PhraseFinder(defaults.map(({ expansion }) => expansion))
    finder.visit(source.body, (index) => found.add(index))
  }
  const rules = [...source.glossary.slice(0, own), ...defaults.filter((_, index) => found.has(index))].map(
    ({ expansion, term, never }): GlossaryRule => ({
      expansion,
      ...(term === undefined ? {} : { term }),
      ...(never === true ? { never } : {}),
    }),
  )
  if (rules.length <= MAX_RULES && countJsonBytes(rules) <= MAX_GLOSSARY) return rules
  diagnostics.report(
    'glossary-left-out',
    diagnostics.findPosition('glossary'),
    `The glossary has over ${MAX_RULES} rules or ${MAX_GLOSSARY} bytes, so the pack does not carry it`,
    'Nothing to do, unless the pack is composed with others: then shorten the glossary.',
  )
  return []
}
