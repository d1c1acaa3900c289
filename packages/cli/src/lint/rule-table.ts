import type { LoadedConfig } from '../config/load-config.ts'
import { REMOVED_RULES } from '../config/packs-config.ts'
import { writeWarning } from '../output/terminal.ts'
import type { ActiveRule } from './lint-sources.ts'
import type { Rule } from './rule.ts'
import {
  doubledAddress,
  nearDuplicatePhrase,
  vagueLinkText,
  inconsistentSpelling,
} from './rules/wording-rules.ts'
import {
  hiddenComment,
  longSection,
  paddedTable,
  repeatedHeading,
  skippedHeadingLevel,
  missingAltText,
} from './rules/structure-rules.ts'

/** Every rule, in the order of {@link LINT_RULES}. */
export const ruleTable: readonly Rule[] = [
  nearDuplicatePhrase,
  inconsistentSpelling,
  repeatedHeading,
  skippedHeadingLevel,
  longSection,
  vagueLinkText,
  missingAltText,
  paddedTable,
  hiddenComment,
  doubledAddress,
]

/**
 * Returns the rules that are on, with their severities. Rules that were removed are ignored, with a
 * warning.
 */
export function chooseRules(loaded: LoadedConfig | undefined): ActiveRule[] {
  const levels = new Map(Object.entries(loaded?.config.lint?.rules ?? {}))
  for (const name of levels.keys())
    if (REMOVED_RULES.some((removed) => removed === name))
      writeWarning(`the rule ${name} in ${loaded!.shown} is ignored: it was removed`)
  return ruleTable.flatMap((rule) => {
    const severity = levels.get(rule.name) ?? rule.severity
    return severity === 'off' ? [] : [{ rule, severity }]
  })
}
