import { normalizeLabel } from '../../markdown/inlines/link-parts.ts'
import { LineKind } from '../../markdown/line-table.ts'
import type { Inline } from '../../markdown/read-inlines.ts'
import type { Draft } from '../draft.ts'
import type { Edit } from '../edited-text.ts'
import { TEMPLATE } from '../restore-text.ts'

/** Tokens of the sentence that explains the numbers. Links are numbered if they save more. */
export const SENTENCE_TOKENS = 25

/**
 * Proposes numbers for the addresses of links and images, and takes the definitions of reference
 * links out: those of which every use becomes a numbered link, and those without a use.
 */
export function proposeLinks(draft: Draft): void {
  if (!draft.has('links')) return
  const uses = new Map<string, Inline[]>()
  for (const { inlines, parts } of draft.blocks) {
    const [{ start } = { start: 0 }] = parts
    // What two runs of `$` enclose may be a formula: `$f[x](y)$`.
    const runs = draft.text.slice(start, parts.at(-1)?.end ?? 0).matchAll(/\$+/g)
    const dollars = Array.from(runs, ({ index }) => index + start)
    let before = 0
    for (const inline of inlines) {
      if (inline.kind !== 'link' && inline.kind !== 'image') continue
      while (before < dollars.length && dollars[before]! < inline.start) before++
      const isFormula =
        before % 2 === 1 && before < dollars.length && FACTOR.test(draft.text.charAt(inline.start - 1))
      if (inline.form === 'inline') proposeInline(draft, inline, isFormula)
      else if (uses.has(inline.label)) uses.get(inline.label)!.push(inline)
      else uses.set(inline.label, [inline])
    }
  }
  proposeReferences(draft, uses)
  if (draft.dialects.has('vault')) proposeWikiLinks(draft)
  if (draft.dialects.has('kramdown')) proposeTemplateLinks(draft, /\{(?:\{(?![<%])|%)/)
  if (draft.dialects.has('hugo')) proposeTemplateLinks(draft, /\{\{[<%]/)
}

/** What a formula has before a bracket, and a sentence hardly before a link. */
const FACTOR = /[\w)}\]]/

function proposeInline(draft: Draft, { from, to, close, end }: Inline, isFormula: boolean): void {
  const address = readAddress(draft.text, from, to)
  // A number that stays would be taken for one of ours.
  if (address === '' || (isFormula && !/^\d+$/.test(address))) return
  draft.propose('links', [{ at: close + 2, end: end - 1, insert: '', address }])
}

/** The address as the source has it, without angle brackets. */
function readAddress(text: string, from: number, to: number): string {
  return text.charCodeAt(from) === 60 ? text.slice(from + 1, to - 1) : text.slice(from, to)
}

function proposeReferences(draft: Draft, uses: ReadonlyMap<string, readonly Inline[]>): void {
  const { text, definitions } = draft
  const hidden = listHiddenLabels(draft)
  for (const [label, { line, lines, from, to, isRepeated }] of definitions) {
    const address = readAddress(text, from, to)
    const removal = removeDefinition(draft, line, line + lines - 1)
    const all = uses.get(label) ?? []
    // Before a parenthesis the tool of the site may read another link.
    const isClear =
      address !== '' && !isRepeated && !hidden.has(label) && all.every(({ end }) => text[end] !== '(')
    const write = ({ close, end }: Inline): Edit => ({ at: close + 1, end, insert: '(', address, tail: ')' })
    if (removal !== undefined && isClear) draft.propose('links', [removal, ...all.map(write)])
  }
}

/** Labels in what CommonMark takes for code or HTML, where the tool of the site may see a link. */
function listHiddenLabels(draft: Draft): Set<string> {
  const { text, table, blocks, definitions } = draft
  const known = new Set<number>()
  for (const { kind, start, close } of blocks.flatMap(({ inlines }) => inlines))
    if (kind === 'link' || kind === 'image') known.add(kind === 'image' ? start + 1 : start).add(close + 1)
  const hidden = new Set<string>()
  for (const { 1: words = '', index } of text.matchAll(/\[([^[\]]+)\]/g)) {
    const label = known.has(index) ? '' : normalizeLabel(words)
    if (definitions.has(label) && table.kinds[draft.lineAt(index)] !== LineKind.definition) hidden.add(label)
  }
  return hidden
}

/** Takes the lines of a definition out, with a blank line if there is one on both sides. */
function removeDefinition(draft: Draft, line: number, last: number): Edit | undefined {
  const { starts, ends, count, depths, kinds } = draft.table
  const isFirst = draft.isBlank(line - 1) || kinds[line - 1] === LineKind.definition
  if (depths[line] !== 0 || !isFirst) return undefined
  const isAlone = draft.isBlank(line - 1) && draft.isBlank(last + 1)
  const next = last + (isAlone && last + 1 < count - 1 ? 2 : 1)
  if (next < count) return { at: starts[line]!, end: starts[next]!, insert: '' }
  if (line === 0) return undefined
  const hasEnd = draft.isFree(ends[line - 1]!, starts[line]!)
  return { at: hasEnd ? ends[line - 1]! : starts[line]!, end: ends[count - 1]!, insert: '' }
}

const WIKI_LINK = /(!?)\[\[([^[\]|\n]+?)(\\?\|)([^[\]|\n]+)\]\]/g
/** What would be markup, or a symbol, in the text of a link. */
const MARKUP = /[*_~`<>!&\\]|^\s|\s$|^.$|^\^/

function proposeWikiLinks(draft: Draft): void {
  for (const [found, at] of matchLines(draft, WIKI_LINK)) {
    const [whole, embeds, target = '', , words = ''] = found
    if (embeds !== '' || MARKUP.test(words) || /:\/\/|www\.|@/.test(whole)) continue
    const end = at + whole.length
    draft.propose('links', [
      { at, end: at + whole.indexOf(words, target.length + 2), insert: '[' },
      { at: end - 2, end, insert: '](', address: target, tail: ')' },
    ])
  }
}

const TEMPLATE_LINK = /(!?\[)(?![!^])[^[\]\\<\n]*\]\(([^()[\]\\\n]+)\)/g

/** Links whose address is a template with blanks, which are links only for the tool of the site. */
function proposeTemplateLinks(draft: Draft, template: RegExp): void {
  for (const [[whole, mark = '', address = ''], at] of matchLines(draft, TEMPLATE_LINK)) {
    const end = at + whole.length - 1
    const from = end - address.length
    if (!TEMPLATE.test(address) || !template.test(address) || address.includes('/*')) continue
    if (draft.isMarkup(from - 2)) continue
    // Its mark is written again, as that of a link that the source has not.
    draft.propose('links', [
      { at, end: at + mark.length, insert: mark },
      { at: from, end, insert: '', address },
    ])
  }
}

/** Matches in the lines of blocks, each with its offset, that neither code nor an escape begins. */
function* matchLines(draft: Draft, pattern: RegExp): Generator<[RegExpExecArray, number]> {
  for (const { start, end } of draft.blocks.flatMap(({ parts }) => parts))
    for (const found of draft.text.slice(start, end).matchAll(pattern)) {
      const at = start + found.index
      if (!draft.isMarkup(at) && draft.text[at - 1] !== '\\') yield [found, at]
    }
}
