import type { LintRule } from '../config/packs-config.ts'
import type { Severity } from '../output/diagnostic.ts'
import type { LintDocument, Location } from './document/lint-document.ts'

export interface Finding {
  /** What was found, with the words of the source. */
  readonly message: string
  /** What the writer can do. */
  readonly hint: string
  /** At least one; the first is where the finding is reported. */
  readonly places: readonly Location[]
  /** Tokens that following the hint saves; absent if the rule is not about tokens. */
  readonly saves?: number
}

/** Checks the documents of one run, in turn. */
export interface Check {
  /** Returns what is found in one document. */
  visit(document: LintDocument): readonly Finding[]
  /** Returns what only shows when all documents were visited. */
  finish?(): readonly Finding[]
}

export interface Rule {
  /** Stable name, kebab-case. */
  readonly name: LintRule
  /** Severity unless the configuration sets another. */
  readonly severity: Exclude<Severity, 'error'>
  /** Starts a run. */
  createCheck(): Check
}
