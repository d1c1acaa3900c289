import { LineKind } from '../../markdown/line-table.ts'
import { isSpace, type Draft } from '../draft.ts'
import type { Edit } from '../edited-text.ts'
import type { MinifyRule } from '../types.ts'

/** Comments that stay: licenses, directives, and `word:word`, which generators show. */
const STAYS = /^(?:!|\s*$|\s*(?:pack:|\/pack\b|[\w-]+:[\w-]))|copyright|licen[cs]e|spdx/i

/** Markers of comments of the dialects, each with the empty comment of its language. */
const DIALECT_COMMENTS = [
  ['mdx', '{/*', '*/}', '{/**/}'],
  ['vault', '%%', '%%', ''],
  ['hugo', '{{/*', '*/}}', ''],
] as const

export function proposeComments(draft: Draft): void {
  if (!draft.has('comments')) return
  proposeBlockComments(draft)
  for (const { inlines, parts } of draft.blocks) {
    const [{ start } = { start: 0 }] = parts
    const comments = inlines.filter(
      (inline) =>
        inline.kind === 'comment' && !STAYS.test(draft.text.slice(inline.start + 4, inline.end - 3)),
    )
    for (let index = 0; index < comments.length; index++) {
      const from = comments[index]!.start
      while (comments[index + 1]?.start === comments[index]!.end) index++
      const { end } = comments[index]!
      const isAll = from === start && end === parts.at(-1)!.end
      if (!isAll) draft.propose('comments', removeInline(draft, from, end))
    }
  }
  for (const [dialect, opener, closer, empty] of DIALECT_COMMENTS) {
    if (draft.dialects.has(dialect)) proposeDialectComments(draft, opener, closer, empty)
  }
}

/** HTML blocks that are one comment. */
function proposeBlockComments(draft: Draft): void {
  const { text, table } = draft
  const { ends } = table
  for (const { line, last } of draft.htmlBlocks()) {
    const start = draft.textStart(line)
    const close = text.startsWith('<!--', start) ? text.indexOf('-->', start + 2) : -1
    if (close < 0 || close >= ends[last]! || draft.opensContainer(line)) continue
    const isWhole = text.slice(close + 3, ends[last]).trim() === ''
    if (isWhole && !STAYS.test(text.slice(start + 4, Math.max(close, start + 4))))
      removeBlock(draft, line, last, '<!-- -->')
  }
}

/** Takes lines out. An empty comment stays where the blocks around them would join. */
export function removeBlock(
  draft: Draft,
  line: number,
  last: number,
  empty: string,
  rule: MinifyRule = 'comments',
): void {
  const { table, text } = draft
  const { starts, ends, depths, count } = table
  const start = draft.textStart(line)
  const kept = empty === '' ? undefined : [{ at: start, end: ends[last]!, insert: empty }]
  const before = draft.findKept(line - 1, -1)
  const after = draft.findKept(last + 1, 1)
  let above = before
  while (above >= 0 && draft.isBlank(above)) above = draft.findKept(above - 1, -1)
  let below = after
  while (below < count && draft.isBlank(below)) below = draft.findKept(below + 1, 1)
  const isAbove = above < 0 || above < before
  const isBelow = below >= count || below > after
  const isOpen = depths[line]! > 0 && rule !== 'toc'
  const isMiddle = below < count && depths[below]! >= depths[line]! && !draft.opensContainer(below)
  const mayGo = !(isAbove || isBelow) || above < 0 || below >= count || !wouldJoin(draft, above, below)
  // A block in a container ends with it, and needs blank lines on both sides.
  const isApart =
    (isAbove && isBelow) ||
    (!isOpen && (isAbove || isBelow || !(touches(draft, before) || touches(draft, after))))
  if (mayGo && isApart && (!isOpen || isMiddle)) {
    let edit: Edit = { at: starts[line]!, end: ends[last]!, insert: '' }
    // Between two blocks without blank lines one remains; of the blank lines around it those above.
    let next = last + 1
    while (next < below && !draft.isGone(next)) next++
    if (isAbove && isBelow) edit = { ...edit, end: starts[next] ?? text.length }
    else if (isAbove !== isBelow) edit = { ...edit, end: starts[last + 1] ?? text.length }
    draft.propose(rule, [edit], kept)
  } else if (kept !== undefined) draft.propose(rule, kept)
}

/** Whether a line belongs to a block that a blank line would not end, or would change. */
function touches({ table: { kinds, depths } }: Draft, line: number): boolean {
  return kinds[line] !== LineKind.blank && ((depths[line] ?? 0) > 0 || kinds[line] === LineKind.indentedCode)
}

/** Whether two blocks with only blank lines between them may belong to one. */
export function wouldJoin(draft: Draft, before: number, after: number): boolean {
  const { depths, kinds, contentStarts } = draft.table
  const isOpen = depths[before]! > 0 || kinds[before] === LineKind.indentedCode
  return isOpen && (depths[after]! > 0 || draft.textStart(after) > contentStarts[after]!)
}

/** Takes a part out with one space beside it, unless letters or signs of markdown would meet. */
export function removeInline(draft: Draft, start: number, end: number): Edit[] {
  const { text, table } = draft
  const lineEnd = table.ends[draft.lineAt(end)]!
  let at = start
  let to = end
  const isFirst = start <= draft.textStart(draft.lineAt(start))
  while (isFirst && to < lineEnd && isSpace(text.charCodeAt(to))) to++
  // Blanks that end the line stay, because they may break it.
  const isLast = text.slice(to, lineEnd).trim() === ''
  if (isLast && !isFirst) while (isSpace(text.charCodeAt(at - 1))) at--
  else if (!isFirst && isSpace(text.charCodeAt(at - 1)) && isSpace(text.charCodeAt(to))) to++
  const left = isFirst ? '\n' : text.charAt(at - 1)
  const right = isLast ? '\n' : text.charAt(to)
  // Marks of emphasis keep the white space beside them.
  const isSafe =
    !(isFirst && isLast) &&
    left !== '\\' &&
    mayMeet(left, right) &&
    (!EMPHASIS.test(left) || (SPACE.test(text.charAt(at)) && SPACE.test(right))) &&
    (!EMPHASIS.test(right) || (SPACE.test(text.charAt(to - 1)) && SPACE.test(left)))
  return isSafe ? [{ at, end: to, insert: '' }] : []
}

const SPACE = /\s/
const EMPHASIS = /[*_~]/
const SIGN = /[*_~[\]()!<>&\\`]/
const WORD = /[\p{L}\p{M}\p{N}/:@.?=#%+-]/u

/** Whether two characters may become neighbors, neither of which is a mark of emphasis. */
export function mayMeetPlainly(left: string, right: string): boolean {
  return mayMeet(left, right) && !EMPHASIS.test(left + right)
}

/** Whether two characters may become neighbors. */
function mayMeet(left: string, right: string): boolean {
  if (/\s/.test(left) || /\s/.test(right)) return !(SIGN.test(left) && SIGN.test(right))
  if (/[\])]/.test(left) && /[.,;]/.test(right)) return true
  return !SIGN.test(left) && !SIGN.test(right) && !(WORD.test(left) && WORD.test(right))
}

function proposeDialectComments(draft: Draft, opener: string, closer: string, empty: string): void {
  const { text, table } = draft
  // Whether `%%` in a formula or a link opens or ends a comment is unclear, and so are all behind it.
  if (opener === '%%' && /\$|\[\[[^[\]\n]*%%/.test(text)) return
  let quoted = -1
  for (let end = 0; ;) {
    const previous = end
    const start = text.indexOf(opener, end)
    const close = start < 0 ? -1 : text.indexOf(closer, start + opener.length)
    if (close < 0) return
    end = start + opener.length
    if (!draft.isFree(start, end)) continue
    end = close + closer.length
    if (opener === closer && !draft.isFree(close, end)) return
    const line = draft.lineAt(start)
    const last = draft.lineAt(end - 1)
    // In MDX it may be a part of a string, an expression or a tag, all of which begin before it.
    // Those of a heading are in its line, so that a quote or a code span there is text.
    const from = Math.max(previous, table.starts[line]!)
    const isHeading = table.kinds[line] === LineKind.atxHeading
    const signs = text.slice(from, start).matchAll(isHeading ? /[\\{<]/g : /["'`\\{<]/g)
    const isText = (at: number): boolean => isHeading && !draft.isFree(at, at + 1)
    if (opener === '{/*' && [...signs].some(({ index }) => !isText(from + index))) quoted = line
    if (quoted === line || STAYS.test(text.slice(start + opener.length, close)) || !draft.isFree(start, end))
      continue
    const isAlone = start === draft.textStart(line) && text.slice(end, table.ends[last]).trim() === ''
    if (isAlone && draft.isBlank(line - 1) && draft.isBlank(last + 1)) removeBlock(draft, line, last, empty)
    else if (line === last && !isAlone) {
      const edits = removeInline(draft, start, end)
      if (!draft.propose('comments', edits) && empty !== '')
        draft.propose('comments', [{ at: start, end, insert: empty }])
    }
  }
}
