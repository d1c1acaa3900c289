import type { Rule } from './rule.ts'
import { doubledAddress } from './rules/doubled-address.ts'
import { embeddedData } from './rules/embedded-data.ts'
import { hiddenComment } from './rules/hidden-comment.ts'
import { inconsistentSpelling } from './rules/inconsistent-spelling.ts'
import { longSection } from './rules/long-section.ts'
import { missingAltText } from './rules/missing-alt-text.ts'
import { nearDuplicatePhrase } from './rules/near-duplicate-phrase.ts'
import { paddedTable } from './rules/padded-table.ts'
import { repeatedHeading } from './rules/repeated-heading.ts'
import { repeatedWord } from './rules/repeated-word.ts'
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
  repeatedWord,
  paddedTable,
  hiddenComment,
  embeddedData,
  doubledAddress,
]
