import { checkGlossary, listRuleErrors } from '../compress/candidates/check-glossary.ts'
import type { GlossaryRule } from '../compress/types.ts'
import { namePack } from './read-packs.ts'
import type { PromptDocument, PromptNote } from './types.ts'

/** The rules that one header follows, and notes on those it cannot follow. */
export interface JoinedGlossary {
  readonly rules: readonly GlossaryRule[]
  readonly notes: readonly PromptNote[]
}

/**
 * Joins the glossary of the options with those of the packs. A phrase that any of them says is
 * never replaced is kept. A rule with a term is skipped, with a note, if it contradicts an earlier
 * rule or if its term occurs in one of the texts.
 * @param own the rules of the options
 * @param texts the bodies of the packs
 * @param reserved further text in which no term may occur
 * @throws {CompressError} `invalid_glossary` for the rules of the options
 */
export function joinGlossaries(
  own: readonly GlossaryRule[],
  packs: readonly PromptDocument[],
  texts: readonly string[],
  reserved: string,
): JoinedGlossary {
  checkGlossary(own, '')
  const glossaries = [own, ...packs.map(({ glossary = [] }) => glossary)]
  if (glossaries.every(({ length }) => length === 0)) return { rules: [], notes: [] }
  // Phrases that are never replaced come first, so that they take precedence.
  const { rules, owners, clashes } = mergeGlossaries([
    ...glossaries.map((list) =>
      list.flatMap(({ expansion, never }) => (never ? [{ expansion, never }] : [])),
    ),
    ...glossaries.map((list) => list.filter(({ expansion, never }) => !never && expansion !== '')),
  ])
  const notes: PromptNote[] = []
  const leaveOut = (owner: RuleOwner, reason: string, other: number): void => {
    // The rules of the options are the first list, those of each pack follow.
    const pack = (owner.glossary % glossaries.length) - 1
    const whose = pack < 0 ? 'the options' : namePack(pack, packs[pack])
    const message = `Glossary rule of ${whose} skipped: ${reason}`
    notes.push({ code: 'pin_clashes', pack: pack < 0 ? other : pack, message })
  }
  for (const { first, second, reason } of clashes)
    leaveOut(second, reason, Math.max(0, (first.glossary % glossaries.length) - 1))
  const errors = listRuleErrors(rules, [...texts, reserved].join('\n'))
  const kept = rules.filter((_, rule) => {
    const error = errors[rule]
    if (error !== undefined) leaveOut(owners[rule]!, error.message, findText(error.offsets[0] ?? 0, texts))
    return error === undefined
  })
  return { rules: kept, notes }
}

/** Index of the text at an offset of all texts joined by line ends; at most the last. */
function findText(offset: number, texts: readonly string[]): number {
  let end = 0
  const found = texts.findIndex(({ length }) => offset < (end += length + 1))
  return found < 0 ? texts.length - 1 : found
}

interface RuleOwner {
  readonly glossary: number
  readonly rule: number
}

/** Two rules that one header cannot both follow, in the order of the glossaries. */
interface GlossaryClash {
  readonly first: RuleOwner
  readonly second: RuleOwner
  readonly reason: string
}

interface MergedGlossary {
  readonly rules: readonly GlossaryRule[]
  readonly owners: readonly RuleOwner[]
  readonly clashes: readonly GlossaryClash[]
}

/** Merges glossaries. A phrase without a term takes the term that another glossary gives it. */
function mergeGlossaries(glossaries: readonly (readonly GlossaryRule[])[]): MergedGlossary {
  const rules: GlossaryRule[] = []
  const owners: RuleOwner[] = []
  const clashes: GlossaryClash[] = []
  const places = new Map<string, number>()
  const indexOfTerm = new Map<string, number>()
  for (const [glossary, list] of glossaries.entries()) {
    for (const [rule, value] of list.entries()) {
      const second = { glossary, rule }
      const known = places.get(value.expansion)
      const namesake = value.term === undefined ? undefined : indexOfTerm.get(value.term)
      const reason = known === undefined ? undefined : findContradiction(rules[known]!, value)
      if (reason !== undefined) clashes.push({ first: owners[known!]!, second, reason })
      else if (namesake !== undefined && namesake !== known) {
        const phrases = `${quote(rules[namesake]!.expansion)} and ${quote(value.expansion)}`
        const twice = `One term stands for two phrases, ${phrases}: ${quote(value.term!)}`
        clashes.push({ first: owners[namesake]!, second, reason: twice })
      } else {
        const place = known ?? rules.length
        places.set(value.expansion, place)
        if (value.term !== undefined) indexOfTerm.set(value.term, place)
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

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 80))
}
