import { CodecError } from '../errors.ts'
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
 * @param links of the prompt, or of the pack that the model has read
 * @example
 * resolveLinks('See [the guide](1).', ['https://docs.example/guide'])
 * // 'See [the guide](https://docs.example/guide).'
 */
export function resolveLinks(answer: string, links: LinkTable, options?: ResolveOptions): string {
  const { push, end } = createLinkResolver(links, options)
  return push(answer) + end()
}

/** Most UTF-16 units of a link that is resolved. */
const LONGEST = 16_384
/** What may come before the text of a line: marks of quotes, lists, headings and tables. */
const PREFIX = /[\s>#|*+=\-\d.)]/
const TARGET = /^\]\(([1-9]\d{0,6})\)$/
const PART_OF_TARGET = /^\](?:\((?:[1-9]\d{0,6})?)?$/

/**
 * Creates a resolver for what a model streams. Its joined outputs equal the result of
 * {@link resolveLinks}, however the answer is cut. It holds back at most one link.
 * @example
 * const { push, end } = createLinkResolver({ 7: 'https://docs.example' })
 * push('[docs](') + push('7)') + end() // '[docs](https://docs.example)'
 */
export function createLinkResolver(links: LinkTable, { images = false }: ResolveOptions = {}): LinkResolver {
  if (typeof links !== 'object' || (links as unknown) === null) {
    const hint = 'Pass the answer and the links of the prompt'
    throw new CodecError('wrong_type', { hint }, `links ${typeof links}`)
  }
  let reader = new AnswerReader(links, images)
  const end = (): string => {
    const rest = reader.end()
    reader = new AnswerReader(links, images)
    return rest
  }
  return { push: (chunk) => reader.read(chunk), end }
}

/** Reads each UTF-16 unit once: what is unclear is kept as a state, not read again. */
class AnswerReader {
  private readonly links: LinkTable
  private readonly images: boolean
  private output = ''
  /** What follows the first opener. Each `[`, `![` and `](7)` is a piece. */
  private pieces: string[] = []
  private size = 0
  /** Places of the open brackets in the pieces. */
  private openers: number[] = []
  /** Number of openers, from the first on, that contain a link, so that they can begin none. */
  private taken = 0
  private shown: (readonly [opener: number, target: number])[] = []
  /** The last unit, if it may begin something. */
  private last = ''
  /** The run of backticks or tildes that is read, and length of the one that opened code. */
  private run = 0
  private runUnit = ''
  private code = 0
  private line = startLine()
  private readonly blocks = new AnswerBlocks()
  private room = MAX_OUTPUT

  constructor(links: LinkTable, images: boolean) {
    this.links = links
    this.images = images
  }

  read(chunk: string): string {
    for (let at = 0; at < chunk.length; at++) this.readUnit(chunk[at]!)
    const { output } = this
    this.output = ''
    return output
  }

  end(): string {
    this.drop()
    return this.output + (this.last === '!' ? '!' : '')
  }

  private readUnit(unit: string): void {
    const { last, line } = this
    this.last = ''
    if (this.openers.length > 0 && ++this.size > LONGEST) this.drop()
    if (last === ']' && this.openers.length > 0 && this.readTarget(unit)) return
    if (last === '!' && unit !== '[') this.put('!')
    if (unit !== this.runUnit) this.endRun()
    if (unit === '\n') return this.endLine()
    if (line.isStart) {
      line.text += unit
      if (PREFIX.test(unit)) return this.put(unit)
      this.beginText()
      if (unit === '`' || unit === '~') line.mark = unit
    } else if (this.run === 0 && !/\s/.test(unit)) line.isBare = false
    const isCode = line.isCode || this.code > 0
    const isEscaped = !isCode && last === '\\' && !/[\w\s]/.test(unit)
    if (!isEscaped && (unit === '`' || unit === '~')) {
      this.run++
      this.runUnit = unit
    }
    if (isCode || isEscaped || this.run > 0) return this.put(unit)
    if (unit === '[') return this.open(last === '!')
    if (unit === ']' && this.openers.length > 0) this.pieces.push(unit)
    else if (unit !== '!') this.put(unit)
    this.last = unit
  }

  private put(text: string): void {
    if (this.openers.length > 0) this.pieces.push(this.pieces.pop()! + text)
    else this.output += text
  }

  private open(isImage: boolean): void {
    this.openers.push(this.pieces.length)
    this.pieces.push(isImage ? '![' : '[', '')
  }

  /** Reads a unit after a `]`, the last piece; returns whether it belongs to that. */
  private readTarget(unit: string): boolean {
    const { openers, pieces, shown, images } = this
    const target = pieces.at(-1)! + unit
    if (PART_OF_TARGET.test(target)) {
      pieces[pieces.length - 1] = target
      this.last = ']'
      return true
    }
    const opener = openers.pop()!
    const isImage = pieces[opener] === '!['
    const isTaken = !isImage && this.taken > openers.length
    this.taken = Math.min(this.taken, openers.length)
    if (target.startsWith('](') && !isImage) this.taken = openers.length
    const [, digits] = TARGET.exec(target) ?? []
    const address = digits === undefined || isTaken ? undefined : findAddress(this.links, digits)
    if (digits !== undefined) pieces[pieces.length - 1] = target
    const written = address !== undefined && isSafeAddress(address) ? writeAddress(address) : ''
    this.room -= written.length
    if (written !== '' && this.room >= 0) {
      if (!images && isImage) {
        shown.push([opener, pieces.length - 1])
        pieces[opener] = '['
      }
      // An image in a link is its words.
      while (!isImage && shown.length > 0 && shown.at(-1)![0] > opener)
        for (const at of shown.pop()!) pieces[at] = ''
      pieces[pieces.length - 1] = `](${written})`
    }
    pieces.push('')
    if (openers.length === 0) this.drop()
    return digits !== undefined
  }

  private drop(): void {
    this.output += this.pieces.join('')
    ;[this.pieces, this.openers, this.shown, this.size, this.taken] = [[], [], [], 0, 0]
  }

  /** Ends a run of backticks or tildes, which may begin or end code. */
  private endRun(): void {
    const { line, run } = this
    if (run === 0) return
    if (line.mark !== '' && line.size === 0) line.size = run
    else line.hasTick ||= this.runUnit === '`'
    if (line.mark === '~' && line.size > 2) line.isCode = true
    else if (this.runUnit === '`' && !line.isCode) {
      if (this.code === 0) this.code = run
      else if (this.code === run) this.code = 0
    }
    this.run = 0
    this.runUnit = ''
  }

  /** Ends the beginning of a line: it may start a block, or be code. */
  private beginText(): void {
    this.line.isStart = false
    if (!this.blocks.enterLine(this.line)) this.endBlock()
  }

  private endLine(): void {
    if (this.line.isStart) this.beginText()
    if (this.blocks.endLine(this.line)) this.endBlock()
    this.put('\n')
    this.line = startLine()
  }

  private endBlock(): void {
    this.drop()
    this.code = 0
  }
}

/**
 * What is known of a line: its beginning up to its text; of the run of backticks or tildes that the
 * text begins with, the unit and the length; whether only white space follows, or a backtick.
 */
const startLine = () => ({ text: '', isStart: true, isIndented: false, isCode: false, ...NO_RUN })
const NO_RUN = { mark: '', size: 0, isBare: true, hasTick: false }
type Line = ReturnType<typeof startLine>

/** Headings, their underlines and rules. */
const OTHER = /^ {0,3}(?:#{1,6}(?: |$)|=+$|-+$|([-*_])(?: *\1){2,} *$)/
const MARKER = /^ {0,3}(?:> ?|(?:[-*+]|\d{1,9}[.)])(?: {1,4}(?! )| |$))/
/** What may begin a list after a line of text. */
const INTERRUPTS = /^ *(?:>|(?:[-*+]|1[.)]) +[^ ])/

/** The containers and the fenced code of an answer. The root entry has no other scanner. */
class AnswerBlocks {
  /** Columns of the open items, 0 for quotes. */
  private readonly sizes: number[] = []
  private depth = 0
  private fence = ''
  private run = 0
  private isParagraph = false

  /** Reads the beginning of a line; returns whether it continues the block before it. */
  enterLine(line: Line): boolean {
    const { sizes } = this
    const columns = line.text.split('\t').map((part) => part.padEnd((part.length + 4) & ~3))
    let rest = columns.join('').trimEnd()
    let depth = 0
    for (; depth < sizes.length; depth++) {
      const size = sizes[depth]!
      const [found] = /^ *>? ?/.exec(rest)!
      if (size === 0 ? !/^ {0,3}> ?$/.test(found) : rest !== '' && found.search(/[^ ]|$/) < size) break
      rest = rest.slice(size || found.length)
    }
    const isWhole = depth === sizes.length
    if (!isWhole) this.fence = ''
    this.depth = depth
    while (this.fence === '' && this.depth < 100 && !OTHER.test(rest)) {
      const [marker = ''] = MARKER.exec(rest) ?? []
      const continues = isWhole && this.isParagraph && this.depth === depth
      if (marker === '' || (continues && !INTERRUPTS.test(rest))) break
      sizes.length = this.depth++
      sizes.push(marker.includes('>') ? 0 : marker.trimEnd().length + 1)
      rest = rest.slice(marker.length)
    }
    const isNew = this.depth > depth
    line.isIndented = rest.startsWith('    ')
    const isText = rest !== '' && (line.isIndented || !OTHER.test(rest))
    const continues = this.isParagraph && isText && !isNew
    if (!isNew && !continues) sizes.length = depth
    line.isCode = this.fence !== '' || (line.isIndented && !continues)
    this.isParagraph = isText && !line.isCode
    return continues && !rest.trimStart().startsWith('|')
  }

  /** Begins or ends fenced code; returns whether it begins. */
  endLine({ mark, size, isBare, hasTick, isCode, isIndented }: Line): boolean {
    if (isIndented || size < 3) return false
    if (this.fence !== '') {
      if (mark === this.fence && size >= this.run && isBare) this.fence = ''
      return false
    }
    if (mark === '`' && (hasTick || isCode)) return false
    ;[this.fence, this.run, this.isParagraph, this.sizes.length] = [mark, size, false, this.depth]
    return true
  }
}
