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
  }
  /** Why what begins like front matter belongs to the body. */
  readonly fault?: 'front-matter-unclosed' | 'front-matter-too-large'
  /** Text between two fences that belongs to the body, as it does not begin with a key. */
  readonly fencedText?: string
  /** Where the source begins, after white space and comments. */
  readonly top: number
  readonly bodyStart: number
}

/**
 * Splits a source into front matter and body.
 *
 *     source       = lead front-matter body | lead "<!--" end front-matter "-->" end body
 *     lead         = (white space | byte-order-mark | comment)*
 *     front-matter = yaml | toml | json | named
 *     yaml         = "---" ["yaml" | "yml"] end lines ("---" | "...") end
 *     named        = "---" ("toml" | "json") end lines ("---" | "...") end
 *     toml         = "+++" end lines "+++" end
 *     json         = object end | "{" end lines "}" end
 *     end          = (space | tab)* (line-ending | end of the text)
 *
 * A fence at the top may also be a horizontal rule. So it opens front matter only if the first line
 * that is neither blank nor a comment has a key, or if there is no such line.
 */
export function splitFrontMatter(text: string): SourceParts {
  for (let at = 0; ;) {
    SPACE.lastIndex = at
    at += SPACE.exec(text)![0].length
    const end = text.startsWith('<!--', at) ? text.indexOf('-->', at) : -1
    const parts = end === -1 ? splitAt(text, at) : splitComment(text, at, end)
    if (parts.bodyStart > MAX_FRONT_MATTER) return { fault: 'front-matter-too-large', top: at, bodyStart: 0 }
    if (end === -1 || parts.frontMatter !== undefined) return { ...parts, top: at }
    at = end + 3
  }
}

/** Hugo reads front matter in a comment. */
function splitComment(text: string, at: number, end: number): SourceParts {
  COMMENTED.lastIndex = at
  const parts = COMMENTED.test(text) ? splitAt(text.slice(0, end), COMMENTED.lastIndex) : NONE
  return parts.frontMatter ? { ...parts, bodyStart: skipEnd(text, end + 3) ?? end + 3 } : NONE
}

const NONE: SourceParts = { top: 0, bodyStart: 0 }
const SPACE = /\s*/y
const COMMENTED = /<!--[ \t]*[\r\n]\s*(?=---|\+\+\+|\{)/y
const END = /[ \t]*(?:\r{0,2}\n|\r|$)/y

/** Returns where the next line begins, or undefined if there is more on the line. */
function skipEnd(text: string, at: number): number | undefined {
  END.lastIndex = at
  return END.test(text) ? END.lastIndex : undefined
}

function splitAt(text: string, at: number): SourceParts {
  // More space before it makes it code.
  if (!/(?:^|[\r\n\uFEFF]) {0,3}$/.test(text.slice(Math.max(0, at - 4), at))) return NONE
  if (text[at] === '{') return splitJson(text, at)
  const fence = text.slice(at, at + 3)
  const [named = '', name] =
    /^[ \t]*(?:ya?ml|(toml|json))(?=[ \t]*[\r\n])/.exec(text.slice(at + 3, at + 40)) ?? []
  const start = skipEnd(text, at + 3 + named.length)
  if ((fence !== '---' && (fence !== '+++' || named !== '')) || start === undefined) return NONE
  const closing = CLOSINGS[fence]
  const language = (name as 'toml' | 'json' | undefined) ?? (fence === '---' ? 'yaml' : 'toml')
  const key = KEYS[language]
  closing.lastIndex = start
  const close = closing.exec(text)
  const end = close?.index ?? text.length
  const first = findFirstLine(text, start, end)
  // After a horizontal rule comes a blank line.
  const isLikeRule = /^[ \t]*[\r\n]/.test(text.slice(start, start + 80))
  const hasKeys = first !== undefined && key.test(first)
  // A rule is more likely below something else.
  const isTop = !/[^\uFEFF]/.test(text.slice(0, at))
  if (!isTop && (close === null || isLikeRule || !/^["']?[\w.-]+["']?[ \t]*[:=]/.test(first ?? '')))
    return NONE
  if (close === null) return { ...NONE, ...(hasKeys && !isLikeRule && { fault: 'front-matter-unclosed' }) }
  // What YAML reads as a comment may be a heading.
  const isEmpty = first === undefined && !(isLikeRule && text.slice(start, end).includes('#'))
  if (hasKeys || isEmpty)
    return { ...NONE, frontMatter: { language, start, end }, bodyStart: end + close[0].length }
  return isLikeRule ? NONE : { ...NONE, fencedText: text.slice(start, end) }
}

const CLOSINGS = {
  '---': /(?<=[\r\n])(?:---|\.\.\.)[ \t]*(?:\r{0,2}\n|\r|$)/g,
  '+++': /(?<=[\r\n])\+\+\+[ \t]*(?:\r{0,2}\n|\r|$)/g,
} as const

const KEYS = {
  // Not a line of Liquid, and not an item of a list, a quote or a table.
  yaml: /^(?:\{(?![{%<])|["'].*["'][ \t]*:|(?![-*+>|][ \t]|["'{[]).+?:(?:[ \t]|$))/,
  toml: /^(?:\[|["'].*["'][ \t]*[.=]|[\w-]+[ \t]*[.=])/,
  json: /^\{/,
} as const

/** A brace may also begin Liquid or an expression of MDX. */
function splitJson(text: string, start: number): SourceParts {
  const end = findObjectEnd(text, start)
  const bodyStart = end && skipEnd(text, end)
  if (bodyStart === undefined) return NONE
  const object = text.slice(start, end)
  const isOnLine = skipEnd(text, start + 1) !== undefined
  // An object on one line may be all there is, or one of several: then it is text.
  const isFound = isOnLine
    ? /^\{\s*(?:["}]|\/\/)/.test(object)
    : isJson(object) && /^\s*[^\s{]/.test(text.slice(bodyStart))
  return isFound ? { ...NONE, frontMatter: { language: 'json', start, end: end! }, bodyStart } : NONE
}

/** Where the braces of an object are even, outside of texts. */
function findObjectEnd(text: string, start: number): number | undefined {
  let depth = 0
  OBJECT_TOKEN.lastIndex = start
  for (let match = OBJECT_TOKEN.exec(text); match !== null; match = OBJECT_TOKEN.exec(text)) {
    depth += match[0] === '{' ? 1 : match[0] === '}' ? -1 : 0
    if (depth === 0) return match.index + 1
  }
  return undefined
}

const OBJECT_TOKEN = /"(?:[^"\\\r\n]|\\.)*"?|[{}]/g

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

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
