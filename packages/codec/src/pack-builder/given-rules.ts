import { listRuleErrors } from '../compress/candidates/check-glossary.ts'
import { PhraseFinder } from '../compress/text/phrase-finder.ts'
import type { GlossaryRule } from '../compress/types.ts'
import { MAX_GLOSSARY, MAX_RULES } from '../pack/field-limits.ts'
import { countJsonBytes } from '../pack/canonical-json.ts'
import type { Source } from '../source/types.ts'
import type { Diagnostics } from './diagnostics.ts'

/** A source and its diagnostics. */
interface Member {
  readonly source: Source
  readonly diagnostics: Diagnostics
}

/** Number of rules that the file itself has; the others are given, for many files at once. */
export function countOwnRules({ glossary, given }: Source): number {
  return glossary.length - (given?.glossary?.length ?? 0)
}

/**
 * Leaves out the given rules whose term is in a text already, with an info. A term of the file's own rule there is an
 * error, but a glossary for many files cannot fit each of them.
 *
 * @param members sources that share a header, or a single one
 */
export function dropUsedTerms<T extends Member>(members: readonly T[]): T[] {
  const used = new Set<string>()
  for (const { source } of members) {
    const rules = source.glossary.slice(countOwnRules(source))
    if (rules.length === 0) continue
    for (const [index, error] of listRuleErrors(rules, source.body).entries()) {
      const { term } = rules[index]!
      if (error?.code === 'term_collision' && term !== undefined) used.add(term)
    }
  }
  return used.size === 0 ? [...members] : members.map((member) => dropRules(member, used))
}

function dropRules<T extends Member>(member: T, used: ReadonlySet<string>): T {
  const { source, diagnostics } = member
  const own = countOwnRules(source)
  const kept = source.glossary.filter(
    ({ term }, index) => index < own || term === undefined || !used.has(term),
  )
  const dropped = source.glossary.length - kept.length
  if (dropped === 0) return member
  const terms = source.glossary.flatMap(({ term }, index) =>
    index >= own && term !== undefined && used.has(term) ? [JSON.stringify(term)] : [],
  )
  const more = terms.length > 10 ? ` and ${terms.length - 10} more` : ''
  diagnostics.report(
    'glossary-left-out',
    { line: 1, column: 1 },
    `Terms of the given glossary that the text has already are not used: ${terms.slice(0, 10).join(', ')}${more}`,
    'Nothing to do, unless the glossary should have other terms.',
  )
  const given = { ...source.given, glossary: kept.slice(own) }
  return { ...member, source: { ...source, glossary: kept, given } }
}

/**
 * Returns the rules that the pack document carries: the file's own, and the given ones whose phrase its text has. If
 * they are larger than a document allows, it carries none, with an info.
 */
export function choosePackRules(source: Source, diagnostics: Diagnostics): GlossaryRule[] {
  const own = countOwnRules(source)
  const given = source.glossary.slice(own)
  const found = new Set<number>()
  if (given.length > 0) {
    const finder = new PhraseFinder(given.map(({ expansion }) => expansion))
    finder.visit(source.body, (index) => found.add(index))
  }
  const rules = [...source.glossary.slice(0, own), ...given.filter((_, index) => found.has(index))].map(
    ({ expansion, term, never }): GlossaryRule => ({
      expansion,
      ...(term === undefined ? {} : { term }),
      ...(never === true ? { never } : {}),
    }),
  )
  if (rules.length <= MAX_RULES && countJsonBytes(rules) <= MAX_GLOSSARY) return rules
  diagnostics.report(
    'glossary-left-out',
    diagnostics.findPlace('glossary'),
    `The glossary has over ${MAX_RULES} rules or ${MAX_GLOSSARY} bytes, so the pack does not carry it`,
    'Nothing to do, unless the pack is composed with others: then shorten the glossary.',
  )
  return []
}
