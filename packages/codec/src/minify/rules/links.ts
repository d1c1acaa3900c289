import { LineKind } from '../../markdown/line-table.ts'
import type { Inline } from '../../markdown/read-inlines.ts'
import type { Draft } from '../draft.ts'
import type { Edit } from '../edited-text.ts'

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
    const dollars = listDollars(draft.text, parts[0]?.start ?? 0, parts.at(-1)?.end ?? 0)
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
}

/** What a formula has before a bracket, and a sentence hardly before a link. */
const FACTOR = /[\w)}\]]/

/** Where runs of `$` are. What two of them enclose may be a formula: `$f[x](y)$`. */
function listDollars(text: string, start: number, end: number): number[] {
  return Array.from(text.slice(start, end).matchAll(/\$+/g), ({ index }) => index + start)
}

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
  for (const [label, { line, lines, from, to, isRepeated }] of definitions) {
    const address = readAddress(text, from, to)
    const last = line + lines - 1
    const removal = removeDefinition(draft, line, last)
    if (removal === undefined || address === '' || isRepeated) continue
    const edits: Edit[] = [removal]
    for (const { close, end } of uses.get(label) ?? [])
      edits.push({ at: close + 1, end, insert: '(', address, tail: ')' })
    draft.propose('links', edits)
  }
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
  const { text } = draft
  for (const { parts } of draft.blocks) {
    for (const { start, end } of parts) {
      for (const found of text.slice(start, end).matchAll(WIKI_LINK)) {
        const [whole, embeds, target = '', , words = ''] = found
        if (embeds !== '' || MARKUP.test(words) || /:\/\/|www\.|@/.test(whole)) continue
        const at = start + found.index
        if (draft.isMarkup(at) || text[at - 1] === '\\') continue
        const open: Edit = { at, end: at + whole.indexOf(words, target.length + 2), insert: '[' }
        const close: Edit = {
          at: at + whole.length - 2,
          end: at + whole.length,
          insert: '](',
          address: target,
          tail: ')',
        }
        draft.propose('links', [open, close])
      }
    }
  }
}
