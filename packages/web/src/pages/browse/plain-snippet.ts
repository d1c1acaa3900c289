import { findQueryWords, type ReadingScope } from '@packs/catalog'
import { readInlineText } from '@packs/codec/markdown'
import { html, type Html } from '@packs/theme'
import { escapeBidi } from '../../html/display-text.ts'

/** A longer snippet was cut, if it ends within a sentence. */
const MAX_WHOLE = 150
/** Rules between blocks, lines of fences, and the line below the head of a table. */
const NO_TEXT = /^(?:```.*|~~~.*|[-:| \t]{2,}|[*_= \t]{3,})$/

/**
 * Returns a snippet as text without markdown: headings, lists, tables, links, emphasis, code marks
 * and HTML. A snippet may begin and end within markup.
 *
 * @example
 * readSnippet('## Keys\n\nSee **[the `SET` command](set.md)**.') // 'Keys See the SET command.'
 */
export function readSnippet(markdown: string): string {
  const lines = dropComments(markdown).split('\n').map(readLine)
  const text = closeLink(
    lines
      .join(' ')
      .replace(/<(https?:[^<>\s]*)>/g, '$1')
      .replace(/\{#[\w-]+\}/g, ''),
  )
  const plain = trimMarks(readInlineText(text).replace(/`/g, ''))
  const before = /^\s*[\p{Ll},;)]/u.test(markdown) ? '…' : ''
  return `${before}${plain}${/[\p{L}\p{N},;]$/u.test(plain) && markdown.length > MAX_WHOLE ? '…' : ''}`
}

function dropComments(text: string): string {
  const [first = '', ...rest] = text.split('<!--')
  return (
    first + rest.map((part) => (part.includes('-->') ? part.slice(part.indexOf('-->') + 3) : '')).join('')
  )
}

/** Removes the marks of a line: quotes, headings, lists and cells. */
function readLine(line: string): string {
  const content = line.trim().replace(/^[> \t]+/, '')
  if (NO_TEXT.test(content)) return ''
  const text = content
    .replace(/^#{1,6}[ \t]+/, '')
    .replace(/^(?:[-*+]|\d{1,9}[.)])[ \t]+/, '')
    .replace(/^\[(?:[ xX]|!\w{1,20})\][ \t]*/, '')
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
