import { readInlineText } from '@packs/codec/internal'
import { findQueryWords, type ReadingScope } from '@packs/search'
import { html, type Html } from '@packs/theme'

const BIDI_CONTROLS = /[\u061C\u202A-\u202E\u2066-\u2069]/g

/**
 * Writes bidirectional controls as code points, so that text reads in the order it is stored.
 * @example
 * escapeBidi('user\u202Egnp.exe') // 'user[U+202E]gnp.exe'
 */
export function escapeBidi(text: string): string {
  return text.replace(
    BIDI_CONTROLS,
    (character) => `[U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}]`,
  )
}

/** UTF-16 units from which the language is detected. */
const SAMPLE_LENGTH = 2000
const CHINESE = /\p{Script=Han}/gu
const JAPANESE = /[\p{Script=Hiragana}\p{Script=Katakana}]/gu
const KOREAN = /\p{Script=Hangul}/gu
const OTHER = /\p{L}/gu

/**
 * Detects Chinese, Japanese or Korean by script. They share characters, but draw them and break
 * lines differently; `undefined` if most of the text is in another script, which tells none.
 * @example
 * detectLanguage('家庭の地震防災ガイド') // 'ja'
 */
export function detectLanguage(text: string): 'ja' | 'ko' | 'zh' | undefined {
  const beginning = text.slice(0, SAMPLE_LENGTH)
  const count = (script: RegExp): number => beginning.match(script)?.length ?? 0
  const [chinese, japanese, korean] = [count(CHINESE), count(JAPANESE), count(KOREAN)]
  const all = chinese + japanese + korean
  // A word has about two characters in these scripts, and about five in others.
  if (all === 0 || 3 * all < count(OTHER) - all) return undefined
  if (korean > chinese + japanese) return 'ko'
  return 10 * japanese > all ? 'ja' : 'zh'
}

/** @param context the surrounding text, which decides the language of Han characters alone */
export function renderLangAttribute(text: string, context = ''): Html | false {
  const own = detectLanguage(text)
  const language = own === 'zh' ? (detectLanguage(context) ?? own) : own
  return language !== undefined && html`lang="${language}"`
}

const NUMBER = new Intl.NumberFormat('en-US')

export function formatNumber(value: number): string {
  return NUMBER.format(value)
}

/** Formats a count with its noun: `1 pack`, `2 packs`. */
export function formatCount(value: number, one: string): string {
  return `${formatNumber(value)} ${value === 1 ? one : `${one}s`}`
}

/** Formats a time as its UTC day: `2026-03-01`. */
export function formatDay(time: string | Date): string {
  return (typeof time === 'string' ? time : time.toISOString()).slice(0, 10)
}

/** Formats a time to the minute: `2026-03-01 08:15 UTC`. */
export function formatMinute(time: string | Date): string {
  const text = typeof time === 'string' ? time : time.toISOString()
  return `${text.slice(0, 10)} ${text.slice(11, 16)} UTC`
}

/** Formats the time between two dates, rounded up to minutes: `5 h 12 min`. */
export function formatDuration(from: Date, to: Date): string {
  const minutes = Math.max(1, Math.ceil((to.getTime() - from.getTime()) / 60_000))
  const hours = Math.floor(minutes / 60)
  return hours === 0 ? `${minutes}\u00a0min` : `${hours}\u00a0h\u00a0${minutes % 60}\u00a0min`
}

/** Formats the link to a section of the same page: `#set-up`. */
export function formatFragment(id: string): string {
  return `#${encodeURIComponent(id)}`
}

/** Formats the link to a section of a pack. On the page of its text, the path is empty. */
export function formatSectionPath(path: string, id: string): string {
  return `${path}?section=${encodeURIComponent(id)}${formatFragment(id)}`
}

/**
 * Truncates a text to a number of code points, between words if one ends in the last fifth.
 * @example
 * cutText('one two three', 9) // 'one two…'
 */
export function cutText(text: string, characters: number): string {
  const all = Array.from(text)
  if (all.length <= characters) return text
  const beginning = all.slice(0, characters - 1).join('')
  const space = beginning.lastIndexOf(' ')
  return `${(space > beginning.length * 0.8 ? beginning.slice(0, space) : beginning).trimEnd()}…`
}

/** A longer snippet was cut, if it ends within a sentence. */
const MAX_WHOLE = 150
/** Rules between blocks, lines of fences, and the line below the head of a table. */
const NO_TEXT = /^(?:```.*|~~~.*|[-:| \t]{2,}|[*_= \t]{3,})$/

/**
 * Returns a snippet as text without markdown: headings, lists, tables, links, emphasis, code marks,
 * HTML, shortcodes and admonitions. A snippet may begin and end within markup.
 * @example
 * readSnippet('## Keys\n\nSee **[the `SET` command](set.md)**.') // 'Keys See the SET command.'
 */
export function readSnippet(markdown: string): string {
  const lines = dropComments(markdown).split('\n').map(readLine)
  const text = closeLink(
    lines
      .join(' ')
      .replace(/<(https?:[^<>\s]*)>/g, '$1')
      .replace(/\{#[\w-]+\}|\{\{[<%][^{}]*[%>]\}\}/g, ''),
  )
  // References have no address in a snippet.
  const words = readInlineText(text).replace(/(^|\s)\[([^\][]+)\](?=[\s.,;:]|$)/g, '$1$2')
  const plain = trimMarks(words.replace(/`/g, ''))
  const before = /^\s*[\p{Ll},;)]/u.test(markdown) ? '…' : ''
  return `${before}${plain}${/[\p{L}\p{N},;]$/u.test(plain) && markdown.length > MAX_WHOLE ? '…' : ''}`
}

function dropComments(text: string): string {
  const [first = '', ...rest] = text.split('<!--')
  const shown = rest.map((part) => (part.includes('-->') ? part.slice(part.indexOf('-->') + 3) : ''))
  return first + shown.join('')
}

/** Removes the marks of a line: quotes, headings, lists and cells. */
function readLine(line: string): string {
  const content = line.trim().replace(/^[> \t]+/, '')
  if (NO_TEXT.test(content)) return ''
  const text = content
    .replace(/^#{1,6}[ \t]+/, '')
    .replace(/^(?:[-*+]|\d{1,9}[.)])[ \t]+/, '')
    .replace(/^(?:\[(?:[ xX]|!\w{1,20})\]|(?:\?{3}\+?|!{3}|:{3,})[ \t]*[\w-]*)[ \t]*/, '')
  const cells = text.split(/(?<!\\)\|/).map((cell) => cell.trim())
  return cells.length === 1 ? text : cells.filter((cell) => cell !== '').join(' · ')
}

/** Keeps only the words of a link whose target is cut off. */
function closeLink(text: string): string {
  const target = text.lastIndexOf('](')
  const words = text.lastIndexOf('[', target)
  if (target < 0 || words < 0 || text.includes(')', target)) return text
  return text.slice(0, words) + text.slice(words + 1, target)
}

function trimMarks(text: string): string {
  let [start, end] = [0, text.length]
  while (start < end && ' ·'.includes(text[start]!)) start++
  while (end > start && ' ·'.includes(text[end - 1]!)) end--
  return text.slice(start, end)
}

/** Renders text with the words of a query marked. */
export function renderMarked(text: string, query: string, scope: ReadingScope): Html {
  const parts: Html[] = []
  let at = 0
  for (const { start, end } of findQueryWords(text, query, scope)) {
    parts.push(html`${escapeBidi(text.slice(at, start))}<mark>${escapeBidi(text.slice(start, end))}</mark>`)
    at = end
  }
  return html`${parts}${escapeBidi(text.slice(at))}`
}
