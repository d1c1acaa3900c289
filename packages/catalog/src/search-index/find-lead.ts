import {
  LineKind,
  LineMark,
  type LineTable,
  readInlineText,
  scanLines,
  findTextCuts,
} from '@packs/codec/internal'
import { cleanText } from '../database/database.ts'

/** UTF-16 units of a preview that are read. */
const MAX_READ = 1 << 16
/** UTF-16 units of a paragraph that are read. */
const MAX_PARAGRAPH = 4_000
/** UTF-16 units of a sentence that is preferred to a paragraph without one. */
const MIN_SENTENCE = 12
const SENTENCE_END = /[.!?…。！？؟।]\P{L}{0,3}$/u
/** The paragraphs that are read, in order: in lists and quotes or not, only sentences or all. */
const PASSES = [
  [0, true],
  [0, false],
  [LineMark.inContainer, true],
  [LineMark.inContainer, false],
] as const
/** Code points of a lead. */
const MAX_LEAD = 200

/**
 * Returns the first sentence of the first paragraph as text without markup, of at most 200 code
 * points; empty if there is none. Headings, images, HTML, code and tables are skipped. Paragraphs
 * without the end of a sentence, such as a list of links, are read only where there is no other,
 * and so are lists and quotes.
 * @param isCut whether more text follows
 */
export function findLead(text: string, isCut: boolean): string {
  const table = scanLines(text.slice(0, MAX_READ), { frontMatter: false })
  const end = isCut || text.length > MAX_READ ? table.text.trimEnd().length : Infinity
  for (const [inContainer, needsSentence] of PASSES)
    for (let line = 0; line < table.count; line++) {
      const mark = table.marks[line]! & (LineMark.startsLeaf | LineMark.inContainer)
      if (table.kinds[line] !== LineKind.paragraph || mark !== (LineMark.startsLeaf | inContainer)) continue
      const { words, last } = readParagraph(table, line)
      if (!/[\p{L}\p{N}]/u.test(words)) continue
      const [sentence = words.length] = findTextCuts(words, 0, words.length, []).sentences
      if (needsSentence && !(sentence >= MIN_SENTENCE && SENTENCE_END.test(words.slice(0, sentence))))
        continue
      return cutSentence(words, table.bodyEnds[last]! >= end)
    }
  return ''
}

function readParagraph(
  { text, count, kinds, marks, bodyStarts, bodyEnds }: LineTable,
  first: number,
): { readonly words: string; readonly last: number } {
  let last = first
  const lines = [text.slice(bodyStarts[first], bodyEnds[first])]
  for (let length = 0; length < MAX_PARAGRAPH; length += lines.at(-1)!.length) {
    const next = last + 1
    if (next >= count || kinds[next] !== LineKind.paragraph || marks[next]! & LineMark.startsLeaf) break
    lines.push(text.slice(bodyStarts[next], bodyEnds[next]))
    last = next
  }
  const inline = lines
    .join(' ')
    .slice(0, MAX_PARAGRAPH)
    .replace(/!\[[^[\]]*\](?:\([^()]*\)|\[[^[\]]*\])?|\[\^[^[\]]*\]|<!--[^<>]*-->|^\[![A-Za-z]+\]/g, '')
    .replace(/<(https?:[^<>\s]*)>/g, '$1')
  return { words: cleanText(readInlineText(inline)), last }
}

/** @param isOpen whether the paragraph may continue after these words */
function cutSentence(words: string, isOpen: boolean): string {
  const [end] = findTextCuts(words, 0, words.length, []).sentences
  const sentence = words.slice(0, end)
  const points = Array.from(sentence)
  if (points.length > MAX_LEAD) {
    const shown = points.slice(0, MAX_LEAD - 1).join('')
    const space = shown.lastIndexOf(' ')
    // Some scripts put no space between words.
    return `${space > shown.length / 2 ? shown.slice(0, space) : shown}…`
  }
  return end === undefined && isOpen && !SENTENCE_END.test(sentence) ? `${sentence} …` : sentence
}
