/** Where the parts of a source are, in UTF-16 offsets. */
export interface Split {
  /** Absent without a front matter; `unclosed` where nothing ends it. */
  readonly frontMatter?: { readonly start: number; readonly end: number } | 'unclosed'
  /** Where the body begins. */
  readonly bodyStart: number
}

const OPENING = /^\uFEFF?---[ \t]*(?:\r\n|\n|\r|$)/
const CLOSING = /(?<=[\r\n])---[ \t]*(?:\r\n|\n|\r|$)/g

/**
 * Splits a source into front matter and body.
 *
 * Front matter is an optional byte-order mark, a line `---`, YAML, and a line `---` with its line end.
 */
export function splitFrontMatter(text: string): Split {
  const opening = OPENING.exec(text)
  if (opening === null) return { bodyStart: 0 }
  const start = opening[0].length
  CLOSING.lastIndex = start
  const closing = CLOSING.exec(text)
  if (closing === null) return { frontMatter: 'unclosed', bodyStart: start }
  return { frontMatter: { start, end: closing.index }, bodyStart: closing.index + closing[0].length }
}
