import { MAX_OUTPUT } from '../rosetta/grammar.ts'
import { findAddress, isSafeAddress, type LinkTable, writeAddress } from './link-address.ts'

export interface ResolveOptions {
  /** Keep images, which a program that shows them would load. @default false */
  readonly images?: boolean
}

/** Resolves numbers in an answer that comes in chunks, which may be cut anywhere. */
export interface LinkResolver {
  /** Takes the next chunk and returns all output that is certain. */
  push(this: void, chunk: string): string
  /** Ends the answer and returns the remaining output. What is pushed next is another answer. */
  end(this: void): string
}

/**
 * Puts addresses into an answer in which a model wrote the numbers of links: `[text](7)`.
 *
 * Numbers stay in code, if they are unknown, and if the address is of another kind than `http`,
 * `https`, `mailto` and relative ones. Images become links. Everything else is unchanged. After
 * `decodeAnswer`, if there are terms. Takes linear time, and adds at most 64 Mi UTF-16 units.
 *
 * @param links of the prompt, or of the pack that the model has read
 * @example
 * resolveLinks('See [the guide](1).', ['https://docs.example/guide'])
 * // 'See [the guide](https://docs.example/guide).'
 */
export function resolveLinks(answer: string, links: LinkTable, options?: ResolveOptions): string {
  const { push, end } = createLinkResolver(links, options)
  return push(answer) + end()
}

/** An open bracket. */
interface Opener {
  /** Offset in the text, of the `!` of an image. */
  readonly at: number
  readonly isImage: boolean
  /** Number of edits before it. */
  readonly edits: number
}

type Edit = readonly [start: number, end: number, text: string]

/** Most UTF-16 units of a link that is resolved. */
const LONGEST = 16_384
/** Most units of a line that tell how it begins. */
const LONGEST_PREFIX = 256
/** What may come before the text of a line: marks of quotes, lists, headings and tables. */
const PREFIX = /[\s>#|*+\-\d.)]/
const BLOCK_START = /^\s*(?:>|#{1,6}\s|[-*+]\s|\d{1,9}[.)]\s|\|)/
const NUMBER = /\(([1-9]\d{0,6})\)/y
const PART_OF_NUMBER = /\(\d{0,7}$/y

/**
 * Creates a resolver for what a model streams. Its joined outputs equal the result of
 * {@link resolveLinks}, however the answer is cut. It holds back at most one link.
 *
 * @example
 * const { push, end } = createLinkResolver({ 7: 'https://docs.example' })
 * push('[docs](') + push('7)') + end() // '[docs](https://docs.example)'
 */
export function createLinkResolver(links: LinkTable, { images = false }: ResolveOptions = {}): LinkResolver {
  const reader = new AnswerReader(links, images)
  return { push: (chunk) => reader.read(chunk, false), end: () => reader.read('', true) }
}

class AnswerReader {
  private readonly links: LinkTable
  private readonly images: boolean
  private text = ''
  private at = 0
  private openers: Opener[] = []
  /** Number of openers, from the first on, that contain a link, so that they can begin none. */
  private taken = 0
  private edits: Edit[] = []
  private line: Line = startLine()
  private code = ''
  private fence = ''
  private isAfterBlank = true
  private isInList = false
  private room = MAX_OUTPUT

  constructor(links: LinkTable, images: boolean) {
    this.links = links
    this.images = images
  }

  /** Reads what is certain and returns it. */
  read(chunk: string, final: boolean): string {
    this.text += chunk
    for (let next = this.at; next >= 0 && next < this.text.length;) {
      this.at = next
      next = this.readAt(final)
      if (next >= 0) this.at = next
    }
    if (final) [this.at, this.openers, this.taken] = [this.text.length, [], 0]
    const output = this.flush(this.openers[0]?.at ?? this.at)
    if (final)
      [this.line, this.code, this.fence, this.isAfterBlank, this.isInList] = [
        startLine(),
        '',
        '',
        true,
        false,
      ]
    return output
  }

  /** Reads one construct; returns its end, or −1 if that is not certain yet. */
  private readAt(final: boolean): number {
    const unit = this.text[this.at]!
    if (this.openers.length > 0 && this.at - this.openers[0]!.at > LONGEST)
      [this.openers, this.taken] = [[], 0]
    if (unit === '\n') return this.endLine()
    if (this.line.prefix.length < LONGEST_PREFIX || this.line.isStart) this.line.prefix += unit
    if (this.fence !== '' || this.line.isCode || this.line.run[0] === '~') return this.at + 1
    if (this.line.isStart && !PREFIX.test(unit)) this.beginText()
    if (this.line.isCode) return this.at + 1
    if (unit === '`' || unit === '~') return this.readRun(unit, final)
    this.line.isFirst = false
    if (this.code !== '') return this.at + 1
    if (this.at + 1 === this.text.length && (unit === '\\' || unit === '!') && !final) return this.undo()
    if (unit === '\\') return /[\n\w\s]/.test(this.text[this.at + 1] ?? ' ') ? this.at + 1 : this.at + 2
    if (unit === '!' && this.text[this.at + 1] === '[') return this.open(true)
    if (unit === '[') return this.open(false)
    return unit === ']' ? this.close(final) : this.at + 1
  }

  /** Waits for more text. */
  private undo(): number {
    this.line.prefix = this.line.prefix.slice(0, -1)
    return -1
  }

  private open(isImage: boolean): number {
    this.openers.push({ at: this.at, isImage, edits: this.edits.length })
    return this.at + (isImage ? 2 : 1)
  }

  private close(final: boolean): number {
    const opener = this.openers.at(-1)
    if (opener === undefined) return this.at + 1
    const after = this.at + 1
    PART_OF_NUMBER.lastIndex = after
    if (!final && (after === this.text.length || PART_OF_NUMBER.test(this.text))) return this.undo()
    this.openers.pop()
    const { isImage } = opener
    const isTaken = !isImage && this.taken > this.openers.length
    this.taken = Math.min(this.taken, this.openers.length)
    if (this.text[after] !== '(') return after
    if (!isImage) this.taken = this.openers.length
    NUMBER.lastIndex = after
    const [found, digits] = NUMBER.exec(this.text) ?? []
    if (digits === undefined || isTaken) return after
    const address = findAddress(this.links, digits)
    const end = after + found!.length
    if (address === undefined || !isSafeAddress(address)) return end
    const written = writeAddress(address)
    this.room -= written.length
    if (this.room < 0) return end
    // An image in a link is its words.
    if (!isImage) this.edits.push(...this.edits.splice(opener.edits).flatMap((edit) => this.keepWords(edit)))
    if (isImage && !this.images) this.edits.push([opener.at, opener.at + 1, ''])
    this.edits.push([after + 1, end - 1, written])
    return end
  }

  private keepWords([start, end, added]: Edit): Edit[] {
    if (this.images) return [[start, end, added]]
    return added === '' ? [[start, start + 2, '']] : [[start - 2, end + 1, '']]
  }

  /** Reads a run of backticks or tildes, which may begin or end code. */
  private readRun(unit: string, final: boolean): number {
    let end = this.at + 1
    while (end - this.at < LONGEST && this.text[end] === unit) end++
    if (end === this.text.length && !final) return this.undo()
    const run = this.text.slice(this.at, end)
    this.line.prefix += run.slice(1)
    if (unit === '~')
      this.line.run = this.line.isFirst && this.code === '' && run.length > 2 ? run : this.line.run
    else if (this.code === '') [this.code, this.line.run] = [run, this.line.isFirst ? run : this.line.run]
    else if (this.code === run) [this.code, this.line.run] = ['', '']
    this.line.isFirst = false
    return end
  }

  /** Ends the beginning of a line: it may start a block, or be code by its indentation. */
  private beginText(): void {
    const { prefix } = this.line
    const before = prefix.slice(0, -1)
    this.line.isStart = false
    this.line.isFirst = true
    const isItem = /^\s*(?:[-*+]|\d{1,9}[.)])\s/.test(before)
    const indent = /^\s*/.exec(before)![0].replaceAll('\t', '    ').length
    if (BLOCK_START.test(before)) this.endBlock()
    if (isItem) this.isInList = true
    else if (indent === 0 && this.isAfterBlank) this.isInList = false
    this.line.isCode = !isItem && !this.isInList && indent > 3 && this.isAfterBlank
    if (!this.line.isCode) this.isAfterBlank = false
  }

  private endLine(): number {
    const { prefix, run, isStart } = this.line
    if (this.fence !== '') {
      const [, found = ''] = /^[\s>]*([`~]+)\s*$/.exec(prefix) ?? []
      if (found.startsWith(this.fence)) this.fence = ''
    } else if (run.length > 2 && (run === this.code || run[0] === '~')) {
      this.fence = run
      this.endBlock()
    } else if (isStart) {
      this.isAfterBlank = true
      this.endBlock()
    }
    this.line = startLine()
    return this.at + 1
  }

  private endBlock(): void {
    this.openers = []
    this.taken = 0
    this.code = ''
  }

  private flush(end: number): string {
    if (end === 0) return ''
    let from = 0
    let output = ''
    const ready = this.edits.filter(([, to]) => to <= end).sort((a, b) => a[0] - b[0])
    for (const [start, to, added] of ready) {
      output += this.text.slice(from, start) + added
      from = to
    }
    output += this.text.slice(from, end)
    this.edits = this.edits.flatMap(([start, to, added]): Edit[] =>
      to <= end ? [] : [[start - end, to - end, added]],
    )
    for (const [index, opener] of this.openers.entries())
      this.openers[index] = { ...opener, at: opener.at - end, edits: opener.edits - ready.length }
    this.text = this.text.slice(end)
    this.at -= end
    return output
  }
}

/** What is known of a line. */
interface Line {
  /** Its beginning. */
  prefix: string
  /** Whether only marks of blocks were read. */
  isStart: boolean
  /** Whether nothing but those marks came before. */
  isFirst: boolean
  /** The open run of backticks, or the tildes of a fence, that it begins with. */
  run: string
  isCode: boolean
}

function startLine(): Line {
  return { prefix: '', isStart: true, isFirst: false, run: '', isCode: false }
}
