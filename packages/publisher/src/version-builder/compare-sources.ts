import {
  type Container,
  findHeadings,
  LineKind,
  LineMark,
  type BlockTable,
  readInlineText,
  scanLines,
  subtractItems,
} from '@packs/codec/internal'
import type { Source } from '@packs/codec/pack'
import { serializeSorted } from './read-source.ts'
import { createHash, type Hash } from 'node:crypto'

/**
 * Returns the differences between a source and its parent, each with its level:
 *
 * - *major*: a heading was removed or renamed; a term of the author's glossary was removed, changed
 *   or given another meaning; the parent source is missing, so that nothing can be compared.
 * - *minor*: a heading or a term of the author's glossary was added; headings were moved; blocks
 *   were added, removed or moved, even to another depth.
 * - *patch*: text, link targets or code changed and the structure is the same; metadata, the scheme
 *   or glossary rules without a term changed.
 *
 * A value from a configuration counts as if it were in the file.
 *
 * Without a difference, at most the layout of the source changed. Terms chosen by the compressor
 * never count.
 */
export function compareSources(parent: Source | undefined, next: Source): Reason[] {
  if (parent === undefined)
    return [
      { level: 'major', sentence: 'the source of the previous version is not available for comparison' },
    ]
  const [before, after] = [parent.compression, next.compression]
  const sentence = `the scheme changed from ${before} to ${after}`
  return [
    ...compareOutlines(outlineMarkdown(parent.body), outlineMarkdown(next.body)),
    ...(before === after ? [] : [{ level: 'patch', sentence } as const]),
    ...compareTerms(parent, next),
    ...compareMetadata(parent, next),
  ]
}

function compareOutlines(parent: Outline, next: Outline): Reason[] {
  const reasons = [...compareHeadings(parent.headings, next.headings), ...compareBlocks(parent, next)]
  if (reasons.length > 0) return reasons
  if (parent.contentDigest === next.contentDigest) return []
  return [{ level: 'patch', sentence: 'the structure is the same, text or link targets changed' }]
}

function compareHeadings(parent: readonly string[], next: readonly string[]): Reason[] {
  const removed = subtractItems(parent, next).map((text): Reason => {
    return { level: 'major', sentence: `the heading ${quoteText(text)} was removed or renamed` }
  })
  const added = subtractItems(next, parent).map((text): Reason => {
    return { level: 'minor', sentence: `the heading ${quoteText(text)} was added` }
  })
  if (removed.length + added.length > 0) return [...removed, ...added]
  const isSame = parent.every((text, at) => text === next[at])
  return isSame ? [] : [{ level: 'minor', sentence: 'headings were moved' }]
}

function compareBlocks(parent: Outline, next: Outline): Reason[] {
  const isSame =
    parent.blocks.length === next.blocks.length &&
    parent.blocks.every(({ kind, depth }, at) => {
      const other = next.blocks[at]!
      return kind === other.kind && depth === other.depth
    })
  if (isSame) return []
  const before = countKinds(parent.blocks)
  const after = countKinds(next.blocks)
  const kinds = [...new Set([...before.keys(), ...after.keys()])]
  const reasons = kinds.flatMap((kind): Reason[] => {
    const change = (after.get(kind) ?? 0) - (before.get(kind) ?? 0)
    if (change === 0) return []
    const count = Math.abs(change)
    const sentence = `${count} ${pluralize(kind, count)} ${count === 1 ? 'was' : 'were'} ${change > 0 ? 'added' : 'removed'}`
    return [{ level: 'minor', sentence }]
  })
  return reasons.length > 0 ? reasons : [{ level: 'minor', sentence: 'blocks were moved' }]
}

function countKinds(blocks: readonly Block[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { kind } of blocks) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return counts
}

function pluralize(kind: string, count: number): string {
  return count === 1 ? kind : kind.replace(/^\w+( \w+)?(?= of|$)/, (noun) => `${noun}s`)
}

/** Terms chosen by the compressor are not promised to readers. */
function compareTerms(parent: Source, next: Source): Reason[] {
  const before = readTerms(parent)
  const after = readTerms(next)
  const reasons: Reason[] = []
  const add = (level: Level, term: string, change: string): void =>
    void reasons.push({ level, sentence: `the glossary term ${quoteText(term)} ${change}` })
  for (const [term, expansion] of before) {
    const found = after.get(term)
    if (found === undefined) add('major', term, 'was removed or changed')
    else if (found !== expansion) add('major', term, 'has another meaning')
  }
  for (const term of after.keys()) if (!before.has(term)) add('minor', term, 'was added')
  return reasons
}

function readTerms({ glossary }: Source): Map<string, string> {
  const fixed = glossary.filter(({ term, never }) => term !== undefined && never !== true)
  return new Map(fixed.map(({ term, expansion }) => [term!, expansion]))
}

const METADATA: readonly (keyof Source)[] = [
  ...(['title', 'domain', 'domainSlug', 'subdomain', 'difficulty', 'tokenizer', 'code', 'budget'] as const),
  ...(['worthHeader', 'minify', 'url', 'description', 'tags', 'metadata'] as const),
]

function compareMetadata(parent: Source, next: Source): Reason[] {
  const changed = METADATA.filter((key) => serializeSorted(parent[key]) !== serializeSorted(next[key]))
  const reasons = changed.map((key): Reason => {
    const name = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    return { level: 'patch', sentence: `${name} changed` }
  })
  if (JSON.stringify(readTermlessRules(parent)) === JSON.stringify(readTermlessRules(next))) return reasons
  return [...reasons, { level: 'patch', sentence: 'glossary rules without a term changed' }]
}

function readTermlessRules({ glossary }: Source): unknown[] {
  return glossary
    .filter(({ term, never }) => term === undefined || never === true)
    .map(({ expansion, never }) => [expansion, never === true])
}

/** Size of a change, from none to one that breaks readers. */
export type Level = 'none' | VersionLevel

/** Part of the version number to increment. */
export type VersionLevel = 'patch' | 'minor' | 'major'

export interface Reason {
  readonly level: Level
  readonly sentence: string
}

const RANKS: Readonly<Record<Level, number>> = { none: 0, patch: 1, minor: 2, major: 3 }
const MAX_REASONS = 20
const MAX_QUOTED = 80

export function maxLevel<T extends Level>(a: T, b: T): T {
  return RANKS[a] >= RANKS[b] ? a : b
}

/** Formats reasons, highest level first, at most 20. */
export function formatReasons(reasons: readonly Reason[]): string[] {
  const sorted = reasons.toSorted((a, b) => RANKS[b.level] - RANKS[a.level])
  const lines = sorted.slice(0, MAX_REASONS).map(({ level, sentence }) => `${level}: ${sentence}`)
  return sorted.length > MAX_REASONS ? [...lines, `and ${sorted.length - MAX_REASONS} more changes`] : lines
}

function quoteText(text: string): string {
  const characters = Array.from(text)
  return JSON.stringify(
    characters.length <= MAX_QUOTED ? text : `${characters.slice(0, MAX_QUOTED - 1).join('')}…`,
  )
}

/** Structure and content digest of a markdown text, used to compare two versions. */
export interface Outline {
  /** Plain texts of the headings that begin sections, in order. */
  readonly headings: readonly string[]
  /** Blocks in document order, containers before what they contain. */
  readonly blocks: readonly Block[]
  /** SHA-256 of texts, link targets and code; not of the layout of the source. */
  readonly contentDigest: string
}

export interface Block {
  /** Name used in reasons: `paragraph`, `list item`, `table of 3 columns`. */
  readonly kind: string
  /** Number of block quotes, list items and footnotes around it. */
  readonly depth: number
}

/** Linear in time. Wraps, blank lines, bullets, marks and the padding of tables are layout. */
export function outlineMarkdown(markdown: string): Outline {
  const table = scanLines(markdown, { frontMatter: false })
  const headings = Array.from(findHeadings(table), ({ text }) => readInlineText(text))
  const writer = new OutlineWriter(table)
  for (let line = 0; line < table.count; line++) writer.addLine(line)
  return { headings, ...writer.finish() }
}

const LEAF_KINDS: Readonly<Record<number, string>> = {
  [LineKind.paragraph]: 'paragraph',
  [LineKind.thematicBreak]: 'thematic break',
  [LineKind.fenceOpen]: 'code block',
  [LineKind.fencedCode]: 'code block',
  [LineKind.fenceClose]: 'code block',
  [LineKind.indentedCode]: 'code block',
  [LineKind.htmlFirst]: 'HTML block',
  [LineKind.htmlInside]: 'HTML block',
  [LineKind.htmlLast]: 'HTML block',
  [LineKind.tableHeader]: 'table row',
  [LineKind.tableDelimiter]: 'table row',
  [LineKind.tableRow]: 'table row',
  [LineKind.definition]: 'link definition',
  [LineKind.opaque]: 'paragraph',
}

class OutlineWriter {
  private readonly table: BlockTable
  private readonly blocks: Block[] = []
  private readonly content: Hash = createHash('sha256')
  private opened = 0
  /** The open leaf block; its texts, without layout. */
  private leaf: Block = { kind: '', depth: 0 }
  private texts: string[] = []

  constructor(table: BlockTable) {
    this.table = table
  }

  finish(): Pick<Outline, 'blocks' | 'contentDigest'> {
    this.closeLeaf()
    return { blocks: this.blocks, contentDigest: this.content.digest('hex') }
  }

  addLine(line: number): void {
    const { containers, kinds, marks, depths } = this.table
    for (; containers[this.opened]?.line === line; this.opened++) this.addContainer(containers[this.opened]!)
    const kind = kinds[line]!
    // Only in code, which keeps its blank lines, does a leaf go on after one.
    if (kind === LineKind.blank) {
      this.texts.push('')
      return
    }
    const name = LEAF_KINDS[kind] ?? 'heading'
    // The paragraph after a definition begins on a line without this mark.
    if (marks[line]! & LineMark.startsLeaf || name !== this.leaf.kind) {
      this.closeLeaf()
      this.leaf = { kind: name, depth: depths[line]! }
    }
    this.texts.push(this.readLine(line, kind))
    if (name === 'table row' && kind !== LineKind.tableDelimiter) this.addRow(line, kind)
    if (kind === LineKind.atxHeading || kind === LineKind.setextUnderline) this.addHeading(line, kind)
  }

  private addContainer({ kind, line, depth, marker }: Container): void {
    this.closeLeaf()
    const { text, ends } = this.table
    const isList = kind === 'list'
    // The number of the first item; the label of a footnote.
    const [name = ''] =
      isList || kind === 'footnote' ? /^\d+|^\[.*?\]:|/.exec(text.slice(marker, ends[line]))! : []
    this.content.update(`${kind} ${name}\n`)
    if (isList) this.blocks.push({ kind: 'list', depth })
    this.blocks.push({ kind: CONTAINER_KINDS[kind], depth })
  }

  private addRow(line: number, kind: number): void {
    const depth = this.table.depths[line]!
    if (kind === LineKind.tableHeader) {
      const columns = this.texts.at(-1)!.split(DIVIDER).length
      this.blocks.push({ kind: `table of ${columns} columns`, depth })
    }
    this.blocks.push({ kind: 'table row', depth: depth + 1 })
  }

  private addHeading(line: number, kind: number): void {
    const { text, contentStarts, depths } = this.table
    const marks = text.slice(contentStarts[line], this.table.ends[line]).trimStart()
    const level = kind === LineKind.atxHeading ? /^#*/.exec(marks)![0].length : marks[0] === '=' ? 1 : 2
    this.blocks.push({ kind: `heading of level ${level}`, depth: depths[line]! })
    this.content.update(`${level} `)
  }

  /** Returns the text of a line without its layout. */
  private readLine(line: number, kind: number): string {
    const { text, ends, bodyStarts, bodyEnds, contentStarts } = this.table
    if (kind === LineKind.thematicBreak || kind === LineKind.fenceClose || kind === LineKind.setextUnderline)
      return ''
    if (kind === LineKind.fencedCode || kind === LineKind.indentedCode)
      return text.slice(bodyStarts[line], ends[line])
    if (kind === LineKind.atxHeading) return joinSpace(text.slice(bodyStarts[line], bodyEnds[line]))
    const content = joinSpace(text.slice(contentStarts[line], ends[line])).trim()
    if (kind === LineKind.fenceOpen) return content.replace(/^(?:`+|~+)\s*/, '')
    if (kind === LineKind.tableDelimiter) return splitCells(content).join('|').replace(/-+/g, '-')
    if (kind === LineKind.tableHeader || kind === LineKind.tableRow) return splitCells(content).join('|')
    return content
  }

  private closeLeaf(): void {
    const { kind, depth } = this.leaf
    const isCode = kind === 'code block'
    const text = this.texts.join(isCode || kind === 'table row' || kind === 'HTML block' ? '\n' : ' ')
    // Comments and link definitions are not blocks, but count as content.
    const isBlock = kind === 'HTML block' ? !isComment(text) : BLOCKS.has(kind)
    if (isBlock) this.blocks.push({ kind, depth })
    if (kind !== '') this.content.update(`${depth} ${kind} ${isCode ? text.trimEnd() : text.trim()}\n`)
    this.leaf = { kind: '', depth: 0 }
    this.texts = []
  }
}

const BLOCKS: ReadonlySet<string> = new Set(['paragraph', 'thematic break', 'code block'])

const CONTAINER_KINDS = {
  quote: 'block quote',
  list: 'list item',
  item: 'list item',
  footnote: 'footnote',
} as const

const DIVIDER = /(?<!\\)\|/

function splitCells(row: string): string[] {
  const cells = row.split(DIVIDER).map((cell) => cell.trim())
  if (cells.length > 1 && cells[0] === '') cells.shift()
  if (cells.length > 1 && cells.at(-1) === '') cells.pop()
  return cells
}

/** Whether HTML has only comments, in linear time. */
function isComment(html: string): boolean {
  const text = html.trim()
  for (let at = 0; at < text.length;) {
    const end = text.startsWith('<!--', at) ? text.indexOf('-->', at + 4) : -1
    if (end < 0) return false
    at = end + 3
    while (/\s/.test(text.charAt(at))) at++
  }
  return true
}

function joinSpace(text: string): string {
  return text.replace(/\s+/g, ' ')
}
