import type { Rule } from './rule.ts'
import { doubledAddress } from './rules/doubled-address.ts'
import { hiddenComment } from './rules/hidden-comment.ts'
import { inconsistentSpelling } from './rules/inconsistent-spelling.ts'
import { longSection } from './rules/long-section.ts'
import { missingAltText } from './rules/missing-alt-text.ts'
import { nearDuplicatePhrase } from './rules/near-duplicate-phrase.ts'
import { paddedTable } from './rules/padded-table.ts'
import { repeatedHeading } from './rules/repeated-heading.ts'
import { skippedHeadingLevel } from './rules/skipped-heading-level.ts'
import { vagueLinkText } from './rules/vague-link-text.ts'

/** Every rule, in the order of `pack lint --rules`. */
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

/** Names of rules that were removed. Whoever names one is warned, and it is ignored. */
export const REMOVED_RULES: readonly string[] = ['embedded-data', 'repeated-word']
