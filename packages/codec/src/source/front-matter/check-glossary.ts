import { CodecError } from '../../errors.ts'
import { quoteFound } from '../../pack/pack-error.ts'
import { checkEntry } from '../../rosetta/check-entry.ts'
import type { Finding } from '../messages.ts'
import type { FrontMatterRule } from './front-matter-schema.ts'

/**
 * Checks the rules of a glossary against each other and against the limits of a header.
 *
 * @param findOffset returns the position of a key of a rule, by the rule's index
 */
export function checkGlossary(
  glossary: readonly FrontMatterRule[],
  findOffset: (index: number, key: string) => number,
): Finding[] {
  const findings: Finding[] = []
  const expansions = new Map<string, number>()
  const terms = new Map<string, number>()
  const add = (index: number, key: string, reason: string, hint: string): void => {
    findings.push({
      rule: 'invalid-value',
      reason: `Rule ${index + 1} of glossary: ${reason}`,
      hint,
      offset: findOffset(index, key),
    })
  }
  for (const [index, { expansion, term, never }] of glossary.entries()) {
    const fault = findEntryFault(term ?? 'x', expansion)
    if (fault !== undefined)
      add(index, fault.code.includes('expansion') ? 'expansion' : 'term', fault.message, fault.hint)
    if (term !== undefined && never === true)
      add(index, 'never', 'a term for a phrase that is never replaced', 'Keep term or never.')
    const twin = expansions.get(expansion)
    if (twin !== undefined) {
      add(
        index,
        'expansion',
        `${quoteFound(expansion)} is the expansion of rule ${twin + 1} already`,
        'Keep one of them.',
      )
    }
    expansions.set(expansion, index)
    if (term === undefined) continue
    const rival = terms.get(term)
    if (rival !== undefined)
      add(
        index,
        'term',
        `${quoteFound(term)} is the term of rule ${rival + 1} already`,
        'Give each phrase its own.',
      )
    terms.set(term, index)
  }
  return findings
}

function findEntryFault(term: string, expansion: string): CodecError | undefined {
  try {
    checkEntry({ term, expansion }, new Set(), {})
    return undefined
  } catch (error) {
    if (error instanceof CodecError) return error
    throw error
  }
}
