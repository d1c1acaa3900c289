import { findClosestWord } from '@packs/codec/source'
import { usageError } from '../cli-error.ts'
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

export interface RuleChoice {
  readonly off?: readonly string[]
  readonly only?: readonly string[]
}

/**
 * Returns the rules that are on. The command line wins over the configuration. Rules that were
 * removed are ignored, with a warning.
 *
 * @throws CliError `usage` for an unknown rule on the command line
 */
export function chooseRules(
  { off = [], only = [] }: RuleChoice,
  loaded: LoadedConfig | undefined,
): ActiveRule[] {
  for (const name of [...off, ...only]) if (!isRemoved(name, 'the command line')) findRule(name)
  const levels = new Map(Object.entries(loaded?.config.lint?.rules ?? {}))
  for (const name of levels.keys()) isRemoved(name, loaded!.shown)
  const isOn = (name: string): boolean =>
    only.length > 0 ? only.includes(name) : !off.includes(name) && levels.get(name) !== 'off'
  return ruleTable
    .filter(({ name }) => isOn(name) && !off.includes(name))
    .map((rule) => {
      const level = levels.get(rule.name)
      return { rule, severity: level === undefined || level === 'off' ? rule.severity : level }
    })
}

export function findRule(name: string): Rule {
  const rule = ruleTable.find((known) => known.name === name)
  if (rule === undefined) throw usageError(`there is no rule ${name}`, suggestRule(name))
  return rule
}

function isRemoved(name: string, location: string): boolean {
  const isGone = REMOVED_RULES.some((removed) => removed === name)
  if (isGone) writeWarning(`the rule ${name} in ${location} is ignored: it was removed`)
  return isGone
}

function suggestRule(name: string): string {
  const closest = findClosestWord(
    name,
    ruleTable.map((rule) => rule.name),
  )
  return closest === undefined ? 'run `pack lint --rules` for their names' : `did you mean ${closest}?`
}
