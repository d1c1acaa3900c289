import { findCutOffset } from '../decode/find-occurrences.ts'
import { findAbove } from '../binary-search.ts'
import { bomLength, isCodeKind, isFencedKind, LineKind } from '../markdown/line-table.ts'
import { skipSpaces } from '../markdown/table-row.ts'
import { findVerbatimRegions } from '../markdown/regions/verbatim-regions.ts'
import {
  type Definition,
  type InlineBlock as Leaf,
  inlineBlocks,
  listDefinitions,
  listLabels,
} from '../markdown/inlines/inline-blocks.ts'
import { type Inline, readInlines } from '../markdown/read-inlines.ts'
import type { Tokenizer } from '../tokens/get-tokenizer.ts'
import { type Edit, EditedText, type Group, writeInsert } from './edited-text.ts'
import type { DialectTable } from './scan-dialect.ts'
import type { Dialect, MinifyOptions, MinifyRule } from './types.ts'

/** A leaf block with its inlines. */
export interface InlineBlock extends Leaf {
  readonly inlines: readonly Inline[]
}

/** Marks of code that Jekyll and Hugo show as it is. */
const TEMPLATE_CODE = /\{(?:%-?|\{[<%])[ \t]*(end|\/[ \t]*)?(highlight|raw)\b/g

/** A text, what is known of its structure, and the edits that rules propose for it. */
export class Draft {
  readonly text: string
  readonly table: DialectTable
  readonly definitions: ReadonlyMap<string, Definition>
  readonly blocks: readonly InlineBlock[]
  readonly dialects: ReadonlySet<Dialect>
  readonly groups: Group[] = []
  private readonly off: ReadonlySet<MinifyRule>
  private readonly tokenizer: Tokenizer
  /** The text with the edits that are settled. */
  base: EditedText
  private readonly openings: ReadonlySet<number>
  /** 1 for lines without any sign. */
  private readonly blanks: Uint8Array
  /** 1 for units that no edit, or no further edit, may touch. */
  private readonly taken: Uint8Array
  /** 1 for units that are not text. */
  private readonly markup: Uint8Array
  /** 1 for lines that edits take out with their ends. */
  private readonly gone: Uint8Array
  /** Last seen distances of gone lines to the next kept one; backward by negative lines. */
  private readonly jumps = new Map<number, number>()

  constructor(table: DialectTable, { dialect = [], off = [] }: MinifyOptions, tokenizer: Tokenizer) {
    const { text } = table
    this.text = text
    this.table = table
    this.tokenizer = tokenizer
    this.dialects = new Set(dialect)
    this.off = new Set(off)
    this.definitions = listDefinitions(table)
    const labels = listLabels(table, this.definitions)
    this.blocks = Array.from(inlineBlocks(table), (block) => ({
      ...block,
      inlines: readInlines(text, block.parts, labels),
    }))
    this.taken = new Uint8Array(text.length)
    this.markup = new Uint8Array(text.length)
    this.gone = new Uint8Array(table.count)
    this.base = new EditedText(text, [])
    const { starts, ends } = table
    this.blanks = table.kinds.map((kind, line) => {
      return kind === LineKind.blank && skipSpaces(text, starts[line]!, ends[line]!) === ends[line] ? 1 : 0
    })
    this.openings = new Set(table.containers.map(({ line }) => line))
    for (const line of table.tagLines.keys()) this.blanks[line] = 0
    this.protect()
  }

  private protect(): void {
    const { text, table, taken, blocks } = this
    taken.fill(1, 0, bomLength(text))
    for (const { start, end } of findVerbatimRegions(text)) taken.fill(1, start, end)
    let open: { readonly name: string; readonly at: number } | undefined
    for (const { index, 1: closes, 2: name = '' } of text.matchAll(TEMPLATE_CODE)) {
      if (closes === undefined) open ??= { name, at: index }
      else if (open?.name === name) {
        taken.fill(1, open.at, index)
        open = undefined
      }
    }
    for (let line = 0; line < table.count; line++) {
      const kind = table.kinds[line]!
      const isFixed =
        isCodeKind(kind) || isFencedKind(kind) || kind === LineKind.frontMatter || kind === LineKind.opaque
      if (isFixed) taken.fill(1, table.starts[line], table.ends[line])
    }
    for (const { inlines } of blocks) {
      for (const { kind, form, start, close, end } of inlines) {
        const isLink = kind === 'link' || kind === 'image'
        const hasLabel = form === 'shortcut' || form === 'collapsed'
        this.markup.fill(1, isLink && !hasLabel ? close : start, end)
        if (kind === 'code') taken.fill(1, start, end)
      }
    }
  }

  /** Whether an offset is in code, a tag, an address or a label, and not in text. */
  isMarkup(offset: number): boolean {
    return this.markup[offset] === 1
  }

  /** HTML blocks, without blank lines at their ends. */
  *htmlBlocks(): Generator<{ readonly line: number; readonly last: number }> {
    const { kinds, count } = this.table
    for (let line = 0; line < count; line++) {
      if (kinds[line] !== LineKind.htmlFirst) continue
      const first = line
      while (kinds[line + 1] === LineKind.htmlInside) line++
      if (kinds[line + 1] === LineKind.htmlLast) line++
      let last = line
      while (last > first && this.isBlank(last)) last--
      yield { line: first, last }
    }
  }

  /** The text without some of its lines. */
  textOutside(hidden: readonly { readonly line: number; readonly last: number }[]): string {
    const { starts, ends } = this.table
    const from = [0, ...hidden.map(({ last }) => ends[last]!)]
    return from.map((at, index) => this.text.slice(at, starts[hidden[index]?.line ?? -1])).join('')
  }

  has(rule: MinifyRule): boolean {
    return !this.off.has(rule)
  }

  isFree(at: number, end: number): boolean {
    if (at === end) return this.taken[at] !== 1 || this.taken[at - 1] !== 1
    for (let offset = at; offset < end; offset++) if (this.taken[offset] === 1) return false
    return true
  }

  /** Takes the places of edits, if all are free and they save tokens; returns whether. */
  propose(rule: MinifyRule, edits: readonly Edit[], fallback?: readonly Edit[]): boolean {
    if (this.off.has(rule) || edits.length === 0) return false
    if (!edits.every(({ at, end }) => this.isFree(at, end))) return false
    // Links are chosen together, by what all of them save.
    const saved = this.countSaved(edits)
    if (rule !== 'links' && saved <= 0) return false
    for (const edit of edits) this.take(edit)
    this.groups.push({ rule, edits: edits.toSorted((a, b) => a.at - b.at), fallback, saved })
    return true
  }

  /** Keeps a part of the text from all edits. */
  keep(at: number, end: number): void {
    this.taken.fill(1, at, end)
  }

  private take({ at, end, insert }: Edit): void {
    this.taken.fill(1, at, end)
    if (insert !== '' || end - at < 1) return
    const { starts, count } = this.table
    for (let line = this.lineAt(at); line + 1 < count && starts[line + 1]! <= end; line++)
      if (starts[line]! >= at) this.gone[line] = 1
  }

  /** Whether edits take a line out with its end. */
  isGone(line: number): boolean {
    return this.gone[line] === 1
  }

  /** The first line from `line` on, in steps of 1 or -1, that edits do not take out. */
  findKept(line: number, step: 1 | -1): number {
    const { gone } = this
    let kept = line
    while (gone[kept] === 1) kept += this.jumps.get(step * kept) ?? step
    for (let at = line; at !== kept && gone[at] === 1;) {
      const next = at + (this.jumps.get(step * at) ?? step)
      this.jumps.set(step * at, kept - at)
      at = next
    }
    return kept
  }

  /** Counts what later edits save in the text that the given ones make. */
  settle(groups: readonly Group[]): void {
    this.base = new EditedText(this.text, groups)
  }

  /** Tokens that edits save, counted around each of them. */
  countSaved(edits: readonly Edit[]): number {
    const { base, tokenizer } = this
    const { text } = base
    let saved = 0
    let from = 0
    let to = -1
    let after = ''
    const count = (): void => {
      if (to >= 0) saved += tokenizer.countTokens(text.slice(from, to)) - tokenizer.countTokens(after)
    }
    let end = 0
    // Edits that are near each other are counted together.
    for (const edit of edits.toSorted((a, b) => a.at - b.at)) {
      const at = Math.max(0, base.toText(edit.at))
      if (at > to) {
        count()
        from = findCut(text, at, -1)
        after = text.slice(from, at)
      } else after = after.slice(0, after.length - (to - end)) + text.slice(end, at)
      end = at + edit.end - edit.at
      to = findCut(text, end, 1)
      after += writeInsert(edit, 1) + text.slice(end, to)
    }
    count()
    return saved
  }

  lineAt(offset: number): number {
    return findAbove(this.table.starts, offset) - 1
  }

  isBlank(line: number): boolean {
    return line < 0 || line >= this.table.count || this.blanks[line] === 1
  }

  opensContainer(line: number): boolean {
    return this.openings.has(line)
  }

  /** Offset of a line's text, after container markers and indentation. */
  textStart(line: number): number {
    const { contentStarts, ends } = this.table
    return skipSpaces(this.text, contentStarts[line]!, ends[line]!)
  }
}

/** Most units between an edit and the end of the text that it is counted with. */
const WINDOW = 32

/** A place near an offset where a token ends: white space after another character. */
function findCut(text: string, offset: number, step: 1 | -1): number {
  const limit = Math.max(0, Math.min(text.length, offset + step * WINDOW))
  let cut = offset
  while (step > 0 ? cut < limit : cut > limit) {
    cut += step
    if (cut > 0 && text.charCodeAt(cut) <= 32 && text.charCodeAt(cut - 1) > 32 && cut !== offset) break
  }
  return findCutOffset(text, cut)
}

export function isSpace(code: number): boolean {
  return code === 32 || code === 9
}
