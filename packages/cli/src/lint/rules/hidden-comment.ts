import { LineKind } from '@packs/codec/markdown'
import { formatCount } from '../../output/terminal.ts'
import { isHtmlKind, isMarkupKind, type LintDocument, type Location } from '../document/lint-document.ts'
import type { Finding, Rule } from '../rule.ts'

/** Comments of fewer words are marks for programs. */
const LEAST_WORDS = 10
const LEAST_TOKENS = 50

export const hiddenComment: Rule = {
  name: 'hidden-comment',
  severity: 'info',
  summary: 'text in HTML comments',
  reason:
    'No page shows a comment, but every agent that reads the pack pays for it and may take it for content.',
  bad: '<!-- Remember to ask Kim whether these limits are still the ones of last year before the release. -->\n\nThe limit is 5 MB.',
  good: 'The limit is 5 MB.',
  createCheck: () => ({ visit: findComments }),
}

/** Returns one finding for all comments of a document. */
function findComments(document: LintDocument): Finding[] {
  const { text, locate, countTokens } = document
  const places: Location[] = []
  let saves = 0
  for (const [start, end] of readComments(document)) {
    const comment = text.slice(start, end)
    if (countWords(comment) < LEAST_WORDS || isForPrograms(comment)) continue
    saves += countTokens(comment)
    places.push(locate(start))
  }
  if (saves < LEAST_TOKENS) return []
  const comments = places.length === 1 ? 'A comment contains' : `${places.length} comments contain`
  return [
    {
      message: `${comments} text that no reader sees: ${formatCount(saves)} tokens`,
      hint: 'Remove it, or keep notes in the front matter or the history of the file.',
      places,
      saves,
    },
  ]
}

/** Counts words of sentences, not of addresses and names. */
function countWords(comment: string): number {
  let words = 0
  for (const _ of comment.slice(0, 1000).matchAll(/(?<=\s)\p{L}{2,}(?=[\s.,:;!?)])/gu)) words++
  return words
}

/**
 * Whether a program reads the comment or it must be kept: linter directives, licenses, data,
 * markers of generated parts.
 */
function isForPrograms(comment: string): boolean {
  return (
    MARKS.test(comment) || /```|^<!--\s*[\w-]+:\s|\bdo not (?:edit|remove|delete|change)\b/i.test(comment)
  )
}

const MARKS =
  /^<!--[-\s]*(?:#|\[|\/?[a-z]+[-:][a-z-]+|\/?pack\b|vale\b|eslint|prettier|textlint|markdownlint|copyright|licen[cs]e|spdx|(?:auto-?)?generated)/i

/** Finds the comments of the HTML blocks and paragraphs, in linear time. */
function* readComments({ text, lines, skipped }: LintDocument): Generator<[start: number, end: number]> {
  const { starts, ends, kinds, count } = lines
  for (let line = 0; line < count; line++) {
    if (skipped[line] === 1 || !isMarkupKind(kinds[line]!)) continue
    const first = line
    while (line + 1 < count && skipped[line + 1] === 0 && continuesBlock(kinds[first]!, kinds[line + 1]!))
      line++
    const block = text.slice(starts[first], ends[line])
    const isHtml = isHtmlKind(kinds[first]!)
    if (!isHtml && block.includes('`')) continue
    for (let at = block.indexOf('<!--'); at >= 0;) {
      const close = block.indexOf('-->', at + 2)
      if (close < 0 && !isHtml) break
      const end = close < 0 ? block.length : close + 3
      yield [starts[first]! + at, starts[first]! + end]
      at = block.indexOf('<!--', end)
    }
  }
}

function continuesBlock(first: number, next: number): boolean {
  return first === LineKind.paragraph
    ? next === LineKind.paragraph
    : next === LineKind.htmlInside || next === LineKind.htmlLast
}
