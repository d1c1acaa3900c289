/** `error`: there is no source. `warning`: there is a source, and the author should check it. `info`: no action is needed. */
export type SourceSeverity = 'error' | 'warning' | 'info'

/** The rules of the messages about a source, with their severity. A value or a repeated key that may be meant for another tool is a warning instead of an error. */
export const sourceRules = {
  'source-too-large': 'error',
  'invalid-utf8': 'error',
  'front-matter-unclosed': 'error',
  'front-matter-too-large': 'error',
  'front-matter-yaml': 'error',
  'front-matter-toml': 'error',
  'front-matter-json': 'error',
  'front-matter-not-a-map': 'warning',
  'duplicate-key': 'error',
  'unknown-key': 'warning',
  'invalid-value': 'error',
  'reserved-slug': 'error',
  'passed-through': 'info',
  'metadata-left-out': 'warning',
  'assumed-fields': 'info',
  'directive-unclosed': 'error',
  'directive-stray': 'error',
  'directive-nested': 'error',
  'directive-unknown': 'warning',
  'directive-inline': 'warning',
} as const

export type SourceRule = keyof typeof sourceRules

/** A problem in a part of a source. */
export interface Finding {
  readonly rule: SourceRule
  /** @default the severity of the rule */
  readonly severity?: SourceSeverity
  /** What is wrong and what was found. */
  readonly reason: string
  /** What to do about it. */
  readonly hint: string
  /** UTF-16 offset in the part: in the front matter between its fences, or in the body. */
  readonly offset: number
  /** What the finding lists, if it lists names. */
  readonly names?: readonly string[]
}
