import type { LineTable } from '../markdown/line-table.ts'
import { type Directive, scanDirectives } from '../markdown/regions/verbatim-regions.ts'
import { quoteFound } from '../pack/pack-error.ts'
import { findClosestWord } from './closest-word.ts'
import type { Finding, SourceRule } from './rules.ts'

/**
 * Checks that the directives of a body are known, are on lines of their own, and open and close in turn.
 *
 * @param scan returns the lines of the body, as for {@link scanDirectives}
 */
export function checkDirectives(body: string, scan: () => LineTable): Finding[] {
  const findings: Finding[] = []
  const open: Directive[] = []
  // An unknown directive and its closing comment count as one mistake.
  let unknown = 0
  for (const directive of scanDirectives(body, scan)) {
    if (directive.kind === 'open') {
      if (open.length > 0) findings.push(createFinding(directive, 'directive-nested'))
      open.push(directive)
    } else if (directive.kind === 'close') {
      if (open.length > 0) open.pop()
      else if (unknown > 0) unknown--
      else findings.push(createFinding(directive, 'directive-stray'))
    } else if (open.length === 0) {
      if (directive.kind === 'unknown') unknown++
      findings.push(
        createFinding(directive, directive.kind === 'unknown' ? 'directive-unknown' : 'directive-inline'),
      )
    }
  }
  for (const directive of open) findings.push(createFinding(directive, 'directive-unclosed'))
  return findings
}

function createFinding({ name, start }: Directive, rule: keyof typeof TEXTS): Finding {
  const [reason, hint] = TEXTS[rule]
  if (rule !== 'directive-unknown') return { rule, reason, hint, offset: start }
  const closest = findClosestWord(name, ['verbatim'])
  const suggestion = closest === undefined ? hint : `Did you mean "pack:${closest}"?`
  return { rule, reason: `${reason} ${quoteFound(`pack:${name}`)}`, hint: suggestion, offset: start }
}

const TEXTS = {
  'directive-unclosed': [
    'A verbatim region that is not closed',
    'Close it with <!-- /pack --> on a line of its own.',
  ],
  'directive-stray': [
    '<!-- /pack --> closes nothing',
    'Remove it, or open the region with <!-- pack:verbatim -->.',
  ],
  'directive-nested': [
    'A verbatim region inside another',
    'Close the first one before this one, or remove this one.',
  ],
  'directive-unknown': ['Unknown directive', 'The only one is <!-- pack:verbatim -->.'],
  'directive-inline': ['A directive on a line with other text has no effect', 'Put it on a line of its own.'],
} as const satisfies Partial<Record<SourceRule, readonly [reason: string, hint: string]>>
