import type { SourceRule } from './rules.ts'

/** Something to tell about a part of a source. */
export interface Finding {
  readonly rule: SourceRule
  /** What is wrong and what was found. */
  readonly reason: string
  /** What to do about it. */
  readonly hint: string
  /** UTF-16 offset in that part: in the YAML, or in the body. */
  readonly offset: number
}
