import { isCodeKind, isRowKind, LineKind } from '@packs/codec/internal'
import { formatCount } from '../../output/terminal.ts'
import {
  isHtmlKind,
  type LintDocument,
  type Location,
  type Heading,
  isMarkupKind,
} from '../document/lint-document.ts'
import type { Finding, Rule } from '../rule.ts'

/** Most tokens of a section. */
const SECTION_TOKENS = 1500

export const longSection: Rule = {
  name: 'long-section',
  severity: 'info',
  createCheck: () => ({ visit: findLong }),
}

function findLong(document: LintDocument): Finding[] {
  const { headings, lines, locate, countTokens, isRecord } = document
  if (isRecord) return []
  const findings: Finding[] = []
  const add = (line: number, nextLine: number, offset: number, name: string): void => {
    const text = readDivisible(document, line, nextLine)
    // A token has at least one UTF-8 byte, and a UTF-16 unit has at most three.
    if (text.length * 3 <= SECTION_TOKENS) return
    const tokens = countTokens(text)
    if (tokens <= SECTION_TOKENS) return
    findings.push({
      message: `${name} has ${formatCount(tokens)} tokens up to the next heading, without code, tables and targets of links: more than ${formatCount(SECTION_TOKENS)}`,
      hint: 'Divide it with headings that name its parts.',
      places: [locate(offset)],
    })
  }
  const ends = [...headings.map(({ line }) => line), lines.count]
  add(0, ends[0]!, 0, 'The text before the first heading')
  headings.forEach(({ line, offset, text }, at) => add(line, ends[at + 1]!, offset, `The section “${text}”`))
  return findings
}

/** A line of a table of contents. */
const ONLY_LINK = /^\s*(?:[-*+]|\d+[.)])\s+\[[^[\]]*\]\([^()]*\)\s*$/
const TARGET = /\]\([^()\s]*\)/g

/**
 * Returns the text that headings can divide: without code, tables, HTML, link targets and tables of
 * contents.
 */
function readDivisible({ text, lines, skipped }: LintDocument, from: number, to: number): string {
  const { starts, ends, kinds } = lines
  let divisible = ''
  for (let line = from; line < to; line++) {
    const kind = kinds[line]!
    if (skipped[line] === 1 || isCodeKind(kind) || isRowKind(kind) || isHtmlKind(kind)) continue
    const written = text.slice(starts[line], ends[line])
    if (!ONLY_LINK.test(written)) divisible += `${written.replace(TARGET, ']')}\n`
  }
  return divisible
}

/** Padding of a document that costs less is not worth a message. */
const LEAST_TOKENS = 20
/** Padding of one table that does not count. */
const LEAST_OF_TABLE = 5

export const paddedTable: Rule = {
  name: 'padded-table',
  severity: 'info',
  createCheck: () => ({ visit: findPadding }),
}

/** Returns one finding for all tables of a document: who corrects one corrects all. */
function findPadding(document: LintDocument): Finding[] {
  const { lines, skipped, text, locate, countTokens } = document
  const { kinds, starts, ends, count } = lines
  const places: Location[] = []
  let saves = 0
  for (let line = 0; line < count; line++) {
    if (kinds[line] !== LineKind.tableHeader || skipped[line] === 1) continue
    const first = line
    while (line + 1 < count && isTableLine(kinds[line + 1]!)) line++
    const rows: string[] = []
    for (let row = first; row <= line; row++)
      rows.push(unpad(text.slice(starts[row], ends[row]), kinds[row] === LineKind.tableDelimiter))
    const written = text.slice(starts[first], ends[line])
    const unpadded = rows.join('\n')
    if (unpadded.length === written.length) continue
    const saved = countTokens(written) - countTokens(unpadded)
    if (saved < LEAST_OF_TABLE) continue
    saves += saved
    places.push(locate(starts[first]!))
  }
  if (saves < LEAST_TOKENS) return []
  const tables = places.length === 1 ? 'A table is' : `${places.length} tables are`
  return [
    {
      message: `${tables} padded with spaces: ${formatCount(saves)} tokens`,
      hint: 'Write one space at each side of a cell and three dashes in the delimiter row, and let no formatter align tables.',
      places,
      saves,
    },
  ]
}

function isTableLine(kind: number): boolean {
  return isRowKind(kind) || kind === LineKind.tableDelimiter
}

/** Shortens runs of spaces outside of code, and the dashes of a delimiter row to three. */
function unpad(row: string, isDelimiter: boolean): string {
  const body = row.trimEnd()
  if (isDelimiter) return body.replace(/-{4,}/g, '---').replace(/(?<=\S)[ \t]{2,}/g, ' ')
  return body.replace(/(?<![ \t])[ \t]{2,}(?=\|)|(?<=\|)[ \t]{2,}/g, ' ').replace(/(?<![ \t])[ \t]{2,}$/, ' ')
}

export const repeatedHeading: Rule = {
  name: 'repeated-heading',
  severity: 'warning',
  createCheck: () => ({ visit: findRepeats }),
}

/** Returns one finding for all headings of one text under one parent. */
function findRepeats(document: LintDocument): Finding[] {
  const repeats = new Map<Heading, Heading[]>()
  /** The headings that contain the current one, each with the first section of each text. */
  const path: { readonly level: number; readonly seen: Map<string, Heading> }[] = [
    { level: 0, seen: new Map() },
  ]
  const wrappers = countWrappers(document)
  for (const heading of document.headings) {
    while (path.length > 1 && path.at(-1)!.level >= heading.level) path.pop()
    // Headings in different tabs or versions of a page are not shown together.
    const key = `${heading.level} ${wrappers[heading.line]} ${heading.text.toLowerCase()}`
    const { seen } = path.at(-1)!
    const first = seen.get(key)
    if (first === undefined) seen.set(key, heading)
    else if (heading.text !== '' && (heading.anchor === '' || heading.anchor === first.anchor)) {
      const known = repeats.get(first)
      if (known === undefined) repeats.set(first, [heading])
      else known.push(heading)
    }
    path.push({ level: heading.level, seen: new Map() })
  }
  return [...repeats].map(([first, others]) => describe(document, first, others))
}

function describe({ locate }: LintDocument, first: Heading, others: readonly Heading[]): Finding {
  const { line } = locate(first.offset)
  return {
    message: `The heading “${first.text}” is also on line ${line}, at the same level under the same parent`,
    hint: 'Add what tells the sections apart.',
    places: others.map(({ offset }) => locate(offset)),
  }
}

const WRAPPER = /^(?:<\/?[A-Za-z][^<>]*>|\{[{%][<%]?[^{}]*\}?\}|:{3}.*|={3} .*)$/
const LONGEST = 1000

/**
 * For each line, how many lines that open or close a wrapper (a tag, a template, a container with
 * `:::`) are before it.
 */
function countWrappers({ text, lines, skipped }: LintDocument): Uint32Array {
  const { count, starts, ends, kinds } = lines
  const counts = new Uint32Array(count)
  let wrappers = 0
  for (let line = 0; line < count; line++) {
    counts[line] = wrappers
    if (skipped[line] === 1 || !isMarkupKind(kinds[line]!)) continue
    if (ends[line]! - starts[line]! <= LONGEST && WRAPPER.test(text.slice(starts[line], ends[line]).trim()))
      wrappers++
  }
  return counts
}

export const skippedHeadingLevel: Rule = {
  name: 'skipped-heading-level',
  severity: 'warning',
  createCheck: () => ({ visit: findSkips }),
}

/**
 * Returns one finding for each kind of skip: a document that skips a level once often does so
 * throughout.
 */
function findSkips({ headings, locate }: LintDocument): Finding[] {
  const skips = headings.flatMap(({ level, offset }, index) => {
    const before = headings[index - 1]?.level ?? level
    return level > before + 1 ? [{ level, before, place: locate(offset) }] : []
  })
  const kinds = Map.groupBy(skips, ({ level, before }) => `${before} ${level}`)
  return Array.from(kinds.values(), (found) => {
    const { level, before } = found[0]!
    const times = found.length === 1 ? '' : `, ${found.length} times`
    return {
      message: `A heading of level ${level} follows one of level ${before}${times}`,
      hint: `Make it level ${before + 1}, or add the heading between them.`,
      places: found.map(({ place }) => place),
    }
  })
}

export const missingAltText: Rule = {
  name: 'missing-alt-text',
  severity: 'warning',
  createCheck: () => ({ visit: findImages }),
}

const TAG = /<img\b(?:[^<>"']|"[^"]*"|'[^']*')*>/gi
/** `alt=""` marks a picture as decoration, which is a decision of the writer. */
const DESCRIBED = /\s(?:alt|:alt|v-bind:alt|role|aria-hidden)\b/i

function findImages(document: LintDocument): Finding[] {
  const { text, links, locate } = document
  const empty = links.filter(
    ({ isImage, textStart, textEnd }) => isImage && text.slice(textStart, textEnd).trim() === '',
  )
  return [...empty.map(({ start }) => start), ...findTags(document)].map((offset) => ({
    message: 'This image has no alternative text',
    hint: 'Describe in one sentence what the reader should see in it. For mere decoration write <img alt="" …>.',
    places: [locate(offset)],
  }))
}

/** Offsets of `<img>` tags without alternative text, in HTML and in paragraphs. */
function findTags({ text, lines, skipped }: LintDocument): number[] {
  const offsets: number[] = []
  const { starts, ends, kinds, count } = lines
  for (let line = 0; line < count; line++) {
    if (skipped[line] === 1 || !isMarkupKind(kinds[line]!)) continue
    const written = text.slice(starts[line], Math.min(ends[line]!, starts[line]! + 4000))
    if (!/<img\b/i.test(written) || written.includes('`')) continue
    for (const { 0: tag, index } of written.matchAll(TAG))
      if (!DESCRIBED.test(tag) && !hasCaption(text, starts[line]! + index))
        offsets.push(starts[line]! + index)
  }
  return offsets
}

/** Whether a caption follows before the next blank line. */
function hasCaption(text: string, offset: number): boolean {
  const after = text.slice(offset, offset + 1000)
  const caption = after.search(/<figcaption\b/i)
  const blank = after.search(/\n[ \t]*\n/)
  return caption >= 0 && (blank < 0 || caption < blank)
}

/** Comments of fewer words are marks for programs. */
const LEAST_WORDS = 10
const LEAST_COMMENT_TOKENS = 50

export const hiddenComment: Rule = {
  name: 'hidden-comment',
  severity: 'info',
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
  if (saves < LEAST_COMMENT_TOKENS) return []
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
