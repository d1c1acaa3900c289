import type { GlossaryRule } from '../types.ts'

/** A rule of a source's glossary; both are indexes. */
export interface RuleOwner {
  readonly source: number
  readonly rule: number
}

/** Two rules that one header cannot both follow, in the order of the sources. */
export interface GlossaryClash {
  readonly first: RuleOwner
  readonly second: RuleOwner
  readonly reason: string
}

/** The rules of several glossaries in one list; `owners[i]` is the origin of `rules[i]`. */
export interface MergedGlossary {
  readonly rules: readonly GlossaryRule[]
  readonly owners: readonly RuleOwner[]
  readonly clashes: readonly GlossaryClash[]
}

/**
 * Merges the glossaries of sources that share a header. A phrase without a term takes the term that another source
 * gives it.
 */
export function mergeGlossaries(glossaries: readonly (readonly GlossaryRule[])[]): MergedGlossary {
  const rules: GlossaryRule[] = []
  const owners: RuleOwner[] = []
  const clashes: GlossaryClash[] = []
  const places = new Map<string, number>()
  const placeOfTerm = new Map<string, number>()
  for (const [source, glossary] of glossaries.entries()) {
    for (const [rule, value] of glossary.entries()) {
      const second = { source, rule }
      const known = places.get(value.expansion)
      const namesake = value.term === undefined ? undefined : placeOfTerm.get(value.term)
      const reason = known === undefined ? undefined : findContradiction(rules[known]!, value)
      if (reason !== undefined) clashes.push({ first: owners[known!]!, second, reason })
      else if (namesake !== undefined && namesake !== known) {
        clashes.push({
          first: owners[namesake]!,
          second,
          reason: describeTwoPhrases(rules[namesake]!, value),
        })
      } else {
        const place = known ?? rules.length
        places.set(value.expansion, place)
        if (value.term !== undefined) placeOfTerm.set(value.term, place)
        if (known !== undefined && (value.term === undefined || rules[known]!.term !== undefined)) continue
        rules[place] = value
        owners[place] = second
      }
    }
  }
  return { rules, owners, clashes }
}

function findContradiction(one: GlossaryRule, other: GlossaryRule): string | undefined {
  const phrase = quote(other.expansion)
  if ((one.never ?? false) !== (other.never ?? false))
    return `One phrase is both replaced and never replaced: ${phrase}`
  if (one.term === undefined || other.term === undefined || one.term === other.term) return undefined
  return `One phrase has two terms, ${quote(one.term)} and ${quote(other.term)}: ${phrase}`
}

function describeTwoPhrases(one: GlossaryRule, other: GlossaryRule): string {
  return `One term stands for two phrases, ${quote(one.expansion)} and ${quote(other.expansion)}: ${quote(other.term!)}`
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 80))
}
