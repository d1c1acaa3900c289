import {
  findHeadings,
  LineKind,
  scanLines,
  type LineTable,
  LineMark,
  findVerbatimRegions,
  getTokenizer,
} from '@packs/codec/internal'
import type { Source } from '@packs/codec/pack'
import { readWords, type Words, type Link, Prose, scanInlines } from './scan-inlines.ts'

/** A position in a file. Line and column count from 1. */
export interface Location {
  readonly file: string
  readonly line: number
  readonly column: number
}

export interface Heading {
  readonly level: number
  /** Its text as written, without markers, custom anchor and white space at its ends. */
  readonly text: string
  /** Anchor that the author gave, as in `## Title {#anchor}`; empty if there is none. */
  readonly anchor: string
  /** Offset of the text. */
  readonly offset: number
  /** First line, from 0. */
  readonly line: number
}

/** A source as the rules read it. Offsets are UTF-16 units of the body. */
export interface LintDocument {
  readonly source: Source
  readonly text: string
  readonly lines: LineTable
  /**
   * 1 for each line that no rule reads: front matter, verbatim regions, code of templates, imports
   * of MDX.
   */
  readonly skipped: Uint8Array
  readonly headings: readonly Heading[]
  /** Links and images, in the order of their ends. */
  readonly links: readonly Link[]
  /** The words of the prose, without code, links' targets, markup and skipped lines. */
  readonly words: Words
  /**
   * Whether the file records the past (a changelog, release notes), whose words should not be
   * changed.
   */
  readonly isRecord: boolean
  /** Words of code, addresses and HTML, in lower case: names of things, in whatever spelling. */
  readonly names: ReadonlySet<string>
  readonly locate: (offset: number) => Location
  /** Number of tokens in the tokenizer of the source. */
  readonly countTokens: (text: string) => number
}

const RECORD =
  /(?:^|\/)(?:change-?logs?|history|release-?notes?|releases|what-?s-?new|news)(?:\/|(?:\.\w+)*$)/i

/** Reads a parsed source for the rules, in linear time. Its tokenizer must be loaded. */
export function createLintDocument(source: Source, shown: string): LintDocument {
  const { body: text, bodyLine } = source
  const lines = scanLines(text, { frontMatter: false })
  const skipped = findSkippedLines(text, lines)
  const { prose, links, blocks } = scanInlines(lines, skipped)
  const tokenizer = getTokenizer(source.tokenizer)
  const mark = bodyLine === 1 && text.charCodeAt(0) === 0xfeff ? 1 : 0
  return {
    source,
    text,
    lines,
    skipped,
    headings: readHeadings(lines, skipped),
    links,
    words: readWords(lines, prose, blocks),
    names: readNames(text, prose),
    isRecord: RECORD.test(shown.replaceAll('\\', '/')),
    locate(offset) {
      const line = findLine(lines, offset)
      const column = offset - lines.starts[line]! + 1
      return { file: shown, line: line + bodyLine, column: line === 0 ? Math.max(1, column - mark) : column }
    },
    countTokens: (part) => tokenizer.countTokens(part),
  }
}

const ANCHOR = /(?:\{#([^{}]*)\}|\{\/\*[ \t]*#([^{}*]*)\*\/\}|\{:[ \t]*#([^{}]*)\})[ \t]*$/
/** A longer heading is read up to here. */
const LONGEST = 1000

function readHeadings(lines: LineTable, skipped: Uint8Array): Heading[] {
  const { text, bodyStarts, bodyEnds } = lines
  return Array.from(findHeadings(lines)).flatMap(({ level, line, lastLine }) => {
    if (skipped[line] === 1) return []
    const offset = bodyStarts[line]!
    const written = text.slice(offset, Math.min(bodyEnds[lastLine]!, offset + LONGEST))
    const found = ANCHOR.exec(written)
    const heading = (found === null ? written : written.slice(0, found.index)).trim()
    const anchor = (found?.[1] ?? found?.[2] ?? found?.[3] ?? '').trim()
    return { level, text: heading, anchor, offset, line }
  })
}

function readNames(text: string, prose: Uint8Array): Set<string> {
  const names = new Set<string>()
  for (const { 0: name, index } of text.matchAll(/[A-Za-z]{5,60}/g))
    if (prose[index] !== Prose.text) names.add(name.toLowerCase())
  return names
}

/** The line that contains an offset, by binary search. */
function findLine({ starts, count }: LineTable, offset: number): number {
  let low = 0
  let high = count - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (starts[middle]! <= offset) low = middle
    else high = middle - 1
  }
  return low
}

/** Whether a line is HTML. */
export function isHtmlKind(kind: number): boolean {
  return kind === LineKind.htmlFirst || kind === LineKind.htmlInside || kind === LineKind.htmlLast
}

/** Whether HTML may begin in a line. */
export function isMarkupKind(kind: number): boolean {
  return isHtmlKind(kind) || kind === LineKind.paragraph
}

/**
 * Names of templates whose content is code or text for another program: Liquid's `{% raw %}`,
 * Hugo's `{{< highlight >}}`, `{{< code-example >}}` and the like.
 *
 *     opening = ("{%" | "{{<" | "{{%") "-"? name …
 *     closing = the same with "end" or "/" before the name
 */
const OPENING =
  /\{(?:%-?|\{[<%])[ \t]*([\w-]{0,40}(?:highlight|code|example|snippet|raw|console|terminal|mermaid|diagram|chart|math)[\w-]{0,40})/g
const CLOSING = /\{(?:%-?|\{[<%])[ \t]*(?:end|\/[ \t]*)([\w-]+)/g
const IMPORT = /^(?:import\s+(?:[\w*{'"]|type\b)|export\s+(?:default|const|function|let|type|\{|\*))/

/**
 * Returns 1 for each line that no rule reads: verbatim regions, code of templates, imports and
 * exports of MDX, math.
 */
function findSkippedLines(text: string, lines: LineTable): Uint8Array {
  const skipped = new Uint8Array(lines.count)
  const mark = createMarker(lines, skipped)
  for (const { start, end } of findVerbatimRegions(text)) mark(start, end)
  createMarkers(text, createMarker(lines, skipped))
  skipModules(text, lines, skipped)
  return skipped
}

/** Returns a function that marks the lines of regions, which come in rising order. */
function createMarker(
  { starts, ends, count }: LineTable,
  skipped: Uint8Array,
): (start: number, end: number) => void {
  let line = 0
  return (start, end) => {
    while (line < count && ends[line]! < start) line++
    for (let at = line; at < count && starts[at]! < end; at++) skipped[at] = 1
  }
}

/**
 * Marks the regions of templates. A template that is not closed marks nothing. Each closing tag is
 * read once.
 */
function createMarkers(text: string, mark: (start: number, end: number) => void): void {
  const closings = Map.groupBy(text.matchAll(CLOSING), ([, name]) => name)
  for (const found of closings.values()) found.reverse()
  let offset = 0
  for (const { 0: opening, 1: name, index } of text.matchAll(OPENING)) {
    if (index < offset) continue
    const found = closings.get(name) ?? []
    while (found.length > 0 && found.at(-1)!.index < index + opening.length) found.pop()
    const [closing] = found.splice(-1)
    if (closing === undefined) continue
    offset = closing.index + closing[0].length
    mark(index, offset)
  }
}

/** Marks paragraphs that are imports and exports of MDX. */
function skipModules(text: string, lines: LineTable, skipped: Uint8Array): void {
  const { count, kinds, marks, bodyStarts } = lines
  let isModule = false
  for (let line = 0; line < count; line++) {
    if (kinds[line] !== LineKind.paragraph) {
      isModule = false
      continue
    }
    if (marks[line]! & LineMark.startsLeaf) {
      const start = bodyStarts[line]!
      isModule =
        IMPORT.test(text.slice(start, start + 40)) && isModuleLine(text.slice(start, lines.ends[line]))
    }
    if (isModule) skipped[line] = 1
  }
}

function isModuleLine(line: string): boolean {
  return /['"{;=(]/.test(line.slice(0, 400))
}
