import { groupBy } from '../compare-items.ts'
import { findAbove } from '../binary-search.ts'
import { type BlockTable, LineKind } from '../markdown/line-table.ts'
import { scanDialect, type DialectTable } from '../minify/scan-dialect.ts'
import { findCuts } from '../preview/find-cuts.ts'

/** A part of a text in UTF-16 units; `end` is exclusive. */
export interface Block {
  readonly start: number
  readonly end: number
}

/** A block, or a part of one. */
export interface PartBlock extends Block {
  /** Whether it begins inside a block. */
  readonly isInside: boolean
}

/** A text that is shown in part. */
export interface TextDivider {
  /**
   * Divides the text into blocks: paragraphs, code, tables and lists. Those of more than `most`
   * units are divided at list items, table rows and sentences, then at line ends, then at words.
   * Joined, the blocks are the text; white space belongs to the block before.
   * @param kept parts that are not divided, in order
   */
  readonly divide: (most: number, kept?: readonly Block[]) => readonly PartBlock[]
  /**
   * Writes some blocks, in order, with `[…]` where something is omitted. Where a block is cut,
   * what opens it is written again: fences, tags, markers of lists and quotes, headers of tables.
   * @param room for what is written again, about
   */
  readonly write: (chosen: readonly Block[], room: number) => string
}

/** Marks where parts of a text are omitted. */
const OMISSION = '[…]'

/** Prepares a text to be shown in part, in linear time. */
export function createDivider(text: string): TextDivider {
  const table = scanDialect(text, new Set(['mdx']), { frontMatter: false })
  const innermost = findOpenings(table)
  return {
    divide: (most, kept = []) => divide(table, most, kept),
    write: (chosen, room) => new PartWriter(table, innermost, room).write(chosen),
  }
}

function divide({ text, starts }: BlockTable, most: number, kept: readonly Block[]): readonly PartBlock[] {
  const { block, item, sentence } = findCuts(text, text.length, false)
  const keptStarts = kept.map(({ start }) => start)
  const leaveKept = (at: number): number => {
    const { end = 0 } = kept[findAbove(keptStarts, at - 1) - 1] ?? {}
    return Math.max(at, end)
  }
  const levels = [[...new Set([...item, ...sentence])].toSorted((a, b) => a - b), Array.from(starts).slice(1)]
  const ends: number[] = []
  const add = (start: number, end: number, level: number): void => {
    const cuts = levels[level]
    let last = start
    if (end - start > most) {
      const found = cuts ?? listWordEnds(text, start, end, most / 4)
      for (let next = findAbove(found, start + most / 4); next < found.length && found[next]! < end; next++) {
        if (found[next]! - last < most / 4) continue
        const at = leaveKept(cuts === undefined ? found[next]! : skipSpace(text, found[next]!))
        if (end - at < most / 4) break
        if (cuts === undefined) ends.push(at)
        else add(last, at, level + 1)
        last = at
      }
    }
    if (level >= levels.length) ends.push(end)
    else add(last, end, level + 1)
  }
  const outer = new Set([0])
  let start = 0
  for (const cut of [...block, text.length]) {
    const end = skipSpace(text, cut)
    if (end > start) add(start, end, 0)
    start = Math.max(start, end)
    outer.add(start)
  }
  return ends.map((end, index) => {
    const from = ends[index - 1] ?? 0
    return { start: from, end, isInside: !outer.has(from) }
  })
}

/** Lists ends of words at least `least` units apart, or of characters where there are none. */
function listWordEnds(text: string, start: number, end: number, least: number): readonly number[] {
  const ends: number[] = []
  for (let at = start + Math.ceil(least); at < end; at = ends.at(-1)! + Math.ceil(least)) {
    const near = text.slice(at, at + least)
    const places = [near.search(/\s/), near.search(/[^\p{L}\p{M}\p{N}_]/u)]
    const found = places.find((index) => index >= 0)
    const cut = at + (found === undefined ? 0 : found + 1)
    const isInPair = /[\udc00-\udfff]/.test(text[cut] ?? '') && /[\ud800-\udbff]/.test(text[cut - 1]!)
    ends.push(cut + Number(isInPair))
  }
  return ends
}

/** Moves an offset past blank lines, so that indentation stays with the text after it. */
function skipSpace(text: string, at: number): number {
  const space = /^(?:[^\S\n]*\n)*/.exec(text.slice(at, at + 1000))![0]
  if (space !== '') return at + space.length
  // A sentence that ends within a line.
  return text[at] === ' ' && !/[\n\r]/.test(text[at - 1] ?? '') ? at + 1 : at
}

/** Something that spans several lines. */
interface Opening {
  readonly line: number
  /** The one around it. */
  readonly outer: Opening | undefined
  /** The last line that it holds, with what closes it. */
  last: number
  readonly kind: 'container' | 'fence' | 'table' | 'html' | 'block' | 'indented'
  /** How many containers must be open for it. */
  readonly level: number
  /** Of a block: its tag, or its marks. */
  readonly name: string
  /** What opens and closes it; a container is opened by its markers. */
  readonly head: string
  foot: string
  /** Columns before an `indented` one. */
  readonly indent: number
}

const HTML_OPEN = /^[ \t]*(?:<!--|<(?:pre|script|style|textarea)\b[^<>]*>(?:<code\b[^<>]*>)?)/i
const HTML_CLOSE = /(?:<\/code>)?(?:-->|<\/(?:pre|script|style|textarea)>)\s*$/i
const DETAILS = /^[ \t]*<details\b[^<>]*>[ \t]*<summary\b/i
const MARKS = /^ {0,3}(:{3,}|\$\$)[ \t]*(\S?)/
const INDENTED = /^[ \t]*(?:!!!|\?\?\?\+?|===)[ \t]+\S/
const ALERT = /^\[![\w-]+\]/
const LONGEST_HEAD = 200

/** More openings are not tracked. */
const MAX_OPEN = 40

/** Finds, for each line, the innermost of what is open on it. */
function findOpenings(table: DialectTable): readonly (Opening | undefined)[] {
  const { text, count, starts, ends, contentStarts, kinds, depths, containers, tagLines } = table
  const stack: Opening[] = []
  const innermost: (Opening | undefined)[] = []
  const getLine = (line: number): string => text.slice(starts[line], ends[line])
  const open = (line: number, kind: Opening['kind'], rest: Partial<Opening> = {}): void => {
    const head = rest.head ?? getLine(line)
    if (stack.length >= MAX_OPEN || (head.length > LONGEST_HEAD && kind === 'block')) return
    const shape = { kind, level: depths[line]!, name: '', foot: '', indent: 0 }
    stack.push({ ...shape, line, outer: stack.at(-1), last: count - 1, ...rest, head })
  }
  const closeFrom = (index: number, last: number): void => {
    if (index < 0) return
    for (const opening of stack.splice(index)) opening.last = last
  }
  let next = 0
  for (let line = 0; line < count; line++) {
    const kind = kinds[line]!
    const body = text.slice(contentStarts[line], Math.min(ends[line]!, contentStarts[line]! + 400))
    const isBlank = body.trim() === ''
    const indent = /^[ \t]*/.exec(body)![0].replaceAll('\t', '    ').length
    const depth = containers[next]?.line === line ? containers[next]!.depth : depths[line]!
    closeFrom(
      stack.findIndex(
        (one) =>
          one.level > depth ||
          (one.kind === 'fence' && kind !== LineKind.fencedCode && kind !== LineKind.fenceClose) ||
          (one.kind === 'table' && kind !== LineKind.tableDelimiter && kind !== LineKind.tableRow) ||
          (one.kind === 'html' && kind !== LineKind.htmlInside && kind !== LineKind.htmlLast) ||
          (one.kind === 'indented' && !isBlank && indent <= one.indent),
      ),
      line - 1,
    )
    for (; containers[next]?.line === line; next++)
      open(line, 'container', { level: containers[next]!.depth + 1 })
    const top = stack.at(-1)
    if (kind === LineKind.fenceOpen) {
      const marker = /^[ \t]*(?:`+|~+)/.exec(body)?.[0] ?? ''
      const indentation = text.slice(starts[line], contentStarts[line])
      const head = getLine(line).length > LONGEST_HEAD ? indentation + marker : getLine(line)
      open(line, 'fence', { head, foot: hideMarkers(indentation) + marker })
    } else if (kind === LineKind.fenceClose && top?.kind === 'fence') top.foot = getLine(line)
    else if (kind === LineKind.tableHeader)
      open(line, 'table', { head: `${getLine(line)}\n${getLine(line + 1)}` })
    else if (kind === LineKind.htmlFirst && HTML_OPEN.test(body))
      open(line, 'html', { head: text.slice(starts[line], contentStarts[line]) + HTML_OPEN.exec(body)![0] })
    else if (
      kind === LineKind.paragraph ||
      tagLines.has(line) ||
      stack.some((one) => one.kind === 'indented')
    )
      openMarkup(line, body, indent)
    const html = stack.at(-1)
    if (html?.kind === 'html') html.foot = HTML_CLOSE.exec(getLine(line).slice(-100))?.[0].trim() ?? ''
    innermost.push(html)
    if (kind === LineKind.fenceClose && html?.kind === 'fence') closeFrom(stack.length - 1, line)
  }
  return innermost

  function openMarkup(line: number, body: string, indent: number): void {
    const close = (name: string): boolean => {
      const index = stack.findLastIndex((one) => one.name === name)
      if (index >= 0) stack[index]!.foot = getLine(line)
      closeFrom(index, line)
      return index >= 0
    }
    for (const { name, closes, isEmpty } of tagLines.get(line) ?? [])
      if (closes) close(name)
      else if (!isEmpty) open(line, 'block', { name })
    if (DETAILS.test(body)) open(line, 'block', { name: 'details' })
    const [, mark, more] = MARKS.exec(body) ?? []
    if (mark === '$$' && more === '' && !close(mark)) open(line, 'block', { name: mark })
    if (mark?.[0] === ':' && (more !== '' || !close(':'))) open(line, 'block', { name: ':' })
    if (INDENTED.test(body)) open(line, 'indented', { indent })
    if (ALERT.test(body) && stack.at(-1)?.line === line) open(line, 'block')
  }
}

/** The markers of containers at the start of a line, as those of a line after it. */
function hideMarkers(markers: string): string {
  return markers.replace(/[^>\s]/g, ' ')
}

/** Writes parts of a text. */
class PartWriter {
  private readonly table: BlockTable
  private readonly innermost: readonly (Opening | undefined)[]
  private readonly room: number

  constructor(table: BlockTable, innermost: readonly (Opening | undefined)[], room: number) {
    this.table = table
    this.innermost = innermost
    this.room = room
  }

  write(chosen: readonly Block[]): string {
    const { text } = this.table
    let written = ''
    let from = 0
    for (const { start, end } of chosen) {
      if (start > from || from === 0) written = written.trimEnd() + this.fillGap(from, start)
      written += text.slice(from === start ? start : this.skipMarkers(start), end)
      from = end
    }
    return written.trimEnd() + this.fillGap(from, text.length)
  }

  /** Writes what is between two parts of the text. */
  private fillGap(from: number, to: number): string {
    const { text, starts, ends } = this.table
    if (text.slice(from, to).trim() === '') return ''
    const last = this.findLine(text.slice(0, from).trimEnd().length - 1)
    const next = to === text.length ? -1 : this.findLine(to)
    const isInLast = from > 0 && text.slice(from, ends[last]).trim() !== ''
    const before = from === 0 ? [] : this.listOpen(last)
    const left = before.filter((one) => one.last > last || (isInLast && one.last === last))
    const after = next < 0 ? [] : this.listOpen(next).filter(({ line }) => line < next)
    const closed = left.filter((one) => !after.includes(one) && one.foot !== '').toReversed()
    const opened = after.filter((one) => !left.includes(one))
    const isShared = after.length > opened.length
    let written = isInLast ? ` ${OMISSION}` : ''
    if (!isInLast && closed[0] !== undefined && text.slice(from, starts[closed[0].last]).trim() !== '')
      written = `\n${this.indent(last)}${OMISSION}`
    let isMarked = written !== ''
    let end = isMarked && closed.length === 0 ? ends[last]! : from
    for (const { line, last: final, foot } of closed) {
      written += (line === last && final === last ? ' ' : '\n') + foot
      end = Math.max(end, ends[final]!)
    }
    if (next < 0) {
      const isMore = text.slice(end).trim() !== '' && (!isMarked || closed.length > 0)
      return isMore ? `${written}${from === 0 ? '' : '\n\n'}${OMISSION}` : written
    }
    const heads = this.writeHeads(opened)
    const outer = opened[0] === undefined ? to : starts[opened[0].line]!
    isMarked &&= text.slice(end, outer).trim() === ''
    written += from === 0 ? '' : isShared ? '\n' : '\n\n'
    written += heads.map((head) => `${head}\n`).join('')
    if (this.isInside(to)) return `${written}${this.markers(next)}${OMISSION} `
    if (isMarked || heads.at(-1)?.endsWith(OMISSION) === true) return written
    return `${written}${this.indent(next)}${OMISSION}${isShared || heads.length > 0 ? '\n' : '\n\n'}`
  }

  /** Lines that open the innermost of some openings, as far as there is room. */
  private writeHeads(opened: readonly Opening[]): readonly string[] {
    const heads: string[] = []
    let left = this.room
    for (const [line, own] of [...groupBy(opened, (one) => one.line)].toReversed()) {
      const leaf = own.findLast(({ kind }) => kind !== 'container')
      const { text, starts, contentStarts } = this.table
      const head = leaf?.head ?? `${text.slice(starts[line], contentStarts[line])}${OMISSION}`
      left -= head.length
      // A fence that is closed must be open: without room, by the line that closes it.
      if (left < 0 && leaf?.kind !== 'fence') break
      heads.unshift(left < 0 ? leaf!.foot : head)
    }
    return heads
  }

  /** Lists what is open on a line, outermost first. */
  private listOpen(line: number): readonly Opening[] {
    const found: Opening[] = []
    for (let one = this.innermost[line]; one !== undefined; one = one.outer) found.unshift(one)
    return found
  }

  private findLine(at: number): number {
    return Math.max(0, findAbove(this.table.starts, at) - 1)
  }

  /** Whether an offset is inside the content of a line. */
  private isInside(at: number): boolean {
    const { text, starts, contentStarts } = this.table
    const line = this.findLine(at)
    return at > starts[line]! && text.slice(contentStarts[line], at).trim() !== ''
  }

  private indent(line: number): string {
    const { text, starts, contentStarts } = this.table
    return hideMarkers(text.slice(starts[line], contentStarts[line]))
  }

  /** What a line that lacks its start begins with. */
  private markers(line: number): string {
    const { text, starts, contentStarts } = this.table
    const from = contentStarts[line]!
    const body = text.slice(from, from + LONGEST_HEAD)
    const own = HTML_OPEN.exec(body)?.[0] ?? /^[ \t]*(?::[ \t]+|\|[ \t]*)?/.exec(body)![0]
    return text.slice(starts[line], from) + own
  }

  private skipMarkers(start: number): number {
    return this.isInside(start)
      ? start + /^\s*/.exec(this.table.text.slice(start, start + 100))![0].length
      : start
  }
}
