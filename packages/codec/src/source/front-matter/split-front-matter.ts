import { MAX_FRONT_MATTER } from '../../pack/field-limits.ts'

/** The language of a front matter, by its fences: `---`, `+++`, or `{` and `}`. */
export type FrontMatterLanguage = 'yaml' | 'toml' | 'json'

/** The parts of a source, in UTF-16 offsets. */
export interface SourceParts {
  /** Absent if there is no front matter. */
  readonly frontMatter?: {
    readonly language: FrontMatterLanguage
    readonly start: number
    readonly end: number
    /** Whether no line ends the front matter; then it has no end. */
    readonly isUnclosed?: boolean
  }
  /** Text between two fences that belongs to the body, as it does not begin with a key. */
  readonly fencedText?: string
  readonly bodyStart: number
}

/**
 * Splits a source into front matter and body.
 *
 *     front-matter = byte-order-mark? (yaml | toml | json)
 *     yaml         = "---" end lines ("---" | "...") end
 *     toml         = "+++" end lines "+++" end
 *     json         = "{" end lines "}" end
 *     end          = (space | tab)* (line-ending | end of the text)
 *
 * A fence at the top may also be a horizontal rule. So it opens front matter only if the first line
 * that is neither blank nor a comment has a key, or if there is no such line.
 */
export function splitFrontMatter(text: string): SourceParts {
  const opening = OPENING.exec(text)
  if (opening === null) return { bodyStart: 0 }
  const { language, closing, key } = FENCES[opening[1] as keyof typeof FENCES]
  const start = opening[0].length
  closing.lastIndex = start
  const close = closing.exec(text)
  if (language === 'json') {
    // MDX comments are in braces.
    if (close === null || /^\s*\/\*/.test(text.slice(start, start + 80))) return { bodyStart: 0 }
    const frontMatter = { language, start: text.indexOf('{'), end: close.index + 1 }
    return { frontMatter, bodyStart: close.index + close[0].length }
  }
  const end = close?.index ?? text.length
  const first = findFirstLine(text, start, end)
  // After a horizontal rule comes a blank line.
  const isLikeRule = /^[ \t]*[\r\n]/.test(text.slice(start, start + 80))
  const hasKeys = first !== undefined && key.test(first)
  if (close === null) {
    if (!hasKeys || isLikeRule) return { bodyStart: 0 }
    return { frontMatter: { language, start, end: start, isUnclosed: true }, bodyStart: start }
  }
  // What YAML reads as a comment may be a heading.
  const isEmpty = first === undefined && !(isLikeRule && text.slice(start, end).includes('#'))
  if (hasKeys || isEmpty) return { frontMatter: { language, start, end }, bodyStart: end + close[0].length }
  return isLikeRule ? { bodyStart: 0 } : { fencedText: text.slice(start, end), bodyStart: 0 }
}

const OPENING = /^\uFEFF?(---|\+\+\+|\{)[ \t]*(?:\r\n|\n|\r|$)/

const FENCES = {
  '---': {
    language: 'yaml',
    closing: /(?<=[\r\n])(?:---|\.\.\.)[ \t]*(?:\r\n|\n|\r|$)/g,
    // Not a line of Liquid, and not an item of a list, a quote or a table.
    key: /^(?:\{(?![{%<])|["'].*["'][ \t]*:|(?![-*+>|][ \t]|["'{]).+?:(?:[ \t]|$))/,
  },
  '+++': {
    language: 'toml',
    closing: /(?<=[\r\n])\+\+\+[ \t]*(?:\r\n|\n|\r|$)/g,
    key: /^(?:\[|["'].*["'][ \t]*[.=]|[\w-]+[ \t]*[.=])/,
  },
  '{': { language: 'json', closing: /(?<=[\r\n])\}[ \t]*(?:\r\n|\n|\r|$)/g, key: /^/ },
} as const

/** Finds the first line that is neither blank nor a comment, without the white space around it. */
function findFirstLine(text: string, start: number, end: number): string | undefined {
  LINE.lastIndex = start
  for (let match = LINE.exec(text); match !== null && match.index < end; match = LINE.exec(text)) {
    const line = match[0].trim()
    if (line !== '' && !line.startsWith('#')) return line.slice(0, MAX_FRONT_MATTER)
  }
  return undefined
}

const LINE = /[^\r\n]+/g
