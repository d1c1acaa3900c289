/** Rules of the messages about a source. */
export type SourceRule =
  | 'source-too-large'
  | 'invalid-utf8'
  | 'front-matter-unclosed'
  | 'front-matter-too-large'
  | 'front-matter-yaml'
  | 'front-matter-not-a-map'
  | 'duplicate-key'
  | 'unknown-key'
  | 'invalid-value'
  | 'reserved-slug'
  | 'assumed-fields'
  | 'directive-unclosed'
  | 'directive-stray'
  | 'directive-nested'
  | 'directive-unknown'
  | 'directive-inline'

/** `error`: there is no source. `warning`: there is a source, and the author should check it. */
export const sourceRules: Readonly<Record<SourceRule, 'error' | 'warning'>> = {
  'source-too-large': 'error',
  'invalid-utf8': 'error',
  'front-matter-unclosed': 'error',
  'front-matter-too-large': 'error',
  'front-matter-yaml': 'error',
  'front-matter-not-a-map': 'error',
  'duplicate-key': 'error',
  'unknown-key': 'warning',
  'invalid-value': 'error',
  'reserved-slug': 'error',
  'assumed-fields': 'warning',
  'directive-unclosed': 'error',
  'directive-stray': 'error',
  'directive-nested': 'error',
  'directive-unknown': 'warning',
  'directive-inline': 'warning',
}

/** A problem in a part of a source. */
export interface Finding {
  readonly rule: SourceRule
  /** What is wrong and what was found. */
  readonly reason: string
  /** What to do about it. */
  readonly hint: string
  /** UTF-16 offset in the part: in the YAML, or in the body. */
  readonly offset: number
}
