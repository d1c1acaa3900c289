import { findAbove } from '../binary-search.ts'
import { BareLinks } from './inlines/bare-link.ts'
import { CodeSpans, countBackticks, autolinkEnd, htmlEnd } from './inlines/inline-html.ts'
import type { LinePart } from './inlines/inline-blocks.ts'
import { footnoteLabel, LinkParts, normalizeLabel } from './inlines/link-parts.ts'

/** A construct in the text of a block that has inline content. */
export interface Inline {
  /** `autolink` is in angle brackets, `bare` an address without; `html` is all but comments. */
  readonly kind: 'code' | 'html' | 'comment' | 'autolink' | 'bare' | 'link' | 'image' | 'footnote'
  /** UTF-16 offset in the whole text. A link starts at its `[`, an image at its `!`. */
  readonly start: number
  /** Exclusive. */
  readonly end: number
  /** Of links and images: offset of the `]` that ends their text. Else `end`. */
  readonly close: number
  /** Of links and images: how the address is given. */
  readonly form: 'inline' | 'full' | 'collapsed' | 'shortcut' | 'none'
  /** Of `inline`: start of the address and its angle brackets; else of the label. */
  readonly from: number
  readonly to: number
  /** Of references and footnotes: the normalized label. Else empty. */
  readonly label: string
}

/**
 * Reads the inlines of one block (CommonMark 0.31 with the bare addresses and footnotes of GFM), in
 * ascending order of `start`. Links and images can contain others. Takes linear time for every
 * text, and agrees with the reference parser (micromark 4), except that a label longer than 999
 * characters matches no definition.
 * @param parts The lines of the block.
 * @param labels The labels that the text defines (see `listLabels`).
 */
export function readInlines(text: string, parts: readonly LinePart[], labels: ReadonlySet<string>): Inline[] {
  const content = parts.map(({ start, end }) => text.slice(start, end)).join('\n')
  const found = new InlineReader(content, labels).read()
  return found.length === 0 ? found : moveInlines(found, parts)
}

/** The parts of a text that are no words: of links and images what follows theirs; ascending. */
export function listMarkup(inlines: readonly Inline[]): (readonly [start: number, end: number])[] {
  const isLink = ({ kind }: Inline): boolean => kind === 'link' || kind === 'image'
  return inlines
    .map((inline) => [isLink(inline) ? inline.close : inline.start, inline.end] as const)
    .toSorted((a, b) => a[0] - b[0])
}

/** Replaces offsets in the joined lines by those in the text. */
function moveInlines(found: readonly Inline[], parts: readonly LinePart[]): Inline[] {
  const starts: number[] = []
  let size = 0
  for (const { start, end } of parts) {
    starts.push(size)
    size += end - start + 1
  }
  const move = (offset: number): number => {
    const part = findAbove(starts, offset) - 1
    return parts[part]!.start + offset - starts[part]!
  }
  return found.map((inline) => ({
    ...inline,
    start: move(inline.start),
    end: move(inline.end),
    close: move(inline.close),
    from: move(inline.from),
    to: move(inline.to),
  }))
}

/** An open `[` or `![`. */
interface Opener {
  readonly start: number
  /** Offset after the `[`. */
  readonly text: number
  readonly isImage: boolean
}

type Target = Pick<Inline, 'form' | 'from' | 'to' | 'label' | 'end'>

const MARK = /[\\`<[\]]|https?:\/\/|www\./gi
/** Maximum depth of parentheses in an address, as in the reference parser. */
const DEEPEST = 32

class InlineReader {
  private readonly text: string
  private readonly labels: ReadonlySet<string>
  private readonly parts: LinkParts
  private readonly bare: BareLinks
  private readonly spans: CodeSpans
  private readonly found: Inline[] = []
  private readonly openers: Opener[] = []
  /** Number of openers, from the bottom, before a link: those of links can open none. */
  private inactive = 0
  /** Offset of the last bracket that was read. A label has none inside. */
  private lastBracket = -1
  /** End of the last construct. */
  private offset = 0

  constructor(text: string, labels: ReadonlySet<string>) {
    this.text = text
    this.labels = labels
    this.parts = new LinkParts(text)
    this.bare = new BareLinks(text)
    this.spans = new CodeSpans(text)
  }

  read(): Inline[] {
    const { text, bare } = this
    let markAt = -1
    let mark = ''
    let from = 0
    for (;;) {
      if (markAt < from) {
        MARK.lastIndex = from
        const match = MARK.exec(text)
        markAt = match?.index ?? text.length
        mark = match?.[0] ?? ''
      }
      const email = bare.nextEmail(from)
      const at = Math.min(markAt, email)
      if (at === text.length) break
      const end = email === at && this.openers.length === 0 ? this.addBare(at, bare.emailEnd()) : -1
      if (end < 0 && markAt === at) from = this.readMark(at, mark)
      else from = end < 0 ? at + 1 : end
    }
    return this.found.sort((a, b) => a.start - b.start)
  }

  private readMark(at: number, mark: string): number {
    const { text } = this
    if (mark === '[') return this.readOpener(at)
    if (mark === ']') return this.readCloser(at)
    if (mark === '\\') return this.skip(ESCAPABLE.test(text[at + 1] ?? '') ? at + 2 : at + 1)
    if (mark === '`') return this.readCode(at)
    if (mark === '<') return this.readAngle(at)
    // In the reference parser an open bracket keeps addresses from being links.
    if (this.openers.length > 0) return at + 1
    const end = this.addBare(at, this.bare.addressEnd(at, mark.length > 4 ? mark.length : 0))
    return end < 0 ? at + 1 : end
  }

  private skip(end: number): number {
    this.offset = end
    return end
  }

  private add(kind: Inline['kind'], start: number, end: number): number {
    this.found.push({ kind, start, end, close: end, form: 'none', from: start, to: end, label: '' })
    return this.skip(end)
  }

  private addBare(start: number, end: number): number {
    return end < 0 ? -1 : this.add('bare', start, end)
  }

  private readCode(at: number): number {
    const end = this.spans.findEnd(at)
    return end < 0 ? this.skip(at + countBackticks(this.text, at)) : this.add('code', at, end)
  }

  private readAngle(at: number): number {
    const { text } = this
    const link = autolinkEnd(text, at)
    if (link >= 0) return this.add('autolink', at, link)
    const end = htmlEnd(this.parts, at)
    if (end < 0) return at + 1
    return this.add(text.startsWith('<!--', at) ? 'comment' : 'html', at, end)
  }

  private readOpener(at: number): number {
    const { text, openers } = this
    const isImage = at > this.offset && text[at - 1] === '!'
    if (!isImage && text[at + 1] === '^') {
      const close = this.parts.labelClose(at)
      if (close > at + 2 && this.addFootnote(at, close)) return close + 1
    }
    openers.push({ start: isImage ? at - 1 : at, text: at + 1, isImage })
    this.lastBracket = at
    return this.skip(at + 1)
  }

  private addFootnote(start: number, close: number): boolean {
    const name = this.text.slice(start + 2, close)
    const label = normalizeLabel(name)
    if (/[ \t\n]/.test(name) || !this.labels.has(footnoteLabel(label))) return false
    this.add('footnote', start, close + 1)
    this.found.push({ ...this.found.pop()!, label })
    this.lastBracket = close
    return true
  }

  private readCloser(at: number): number {
    const { openers } = this
    const opener = openers.pop()
    const hasBracket = opener?.text !== this.lastBracket + 1
    this.lastBracket = at
    if (opener === undefined) return at + 1
    const { isImage, start } = opener
    const isActive = isImage || openers.length >= this.inactive
    this.inactive = Math.min(this.inactive, openers.length)
    const label = hasBracket ? '' : normalizeLabel(this.text.slice(opener.text, at))
    const target = isActive ? this.readTarget(opener.text, at, label) : undefined
    if (target === undefined) return this.closeText(opener, at, label)
    this.found.push({ kind: isImage ? 'image' : 'link', start, close: at, ...target })
    if (!isImage) this.inactive = openers.length
    if (target.form !== 'inline') this.lastBracket = target.end - 1
    return this.skip(target.end)
  }

  /** Reads a `]` that ends no link or image. After `![^label` it ends a footnote. */
  private closeText({ isImage, start, text }: Opener, at: number, label: string): number {
    if (isImage && label.startsWith('^') && this.labels.has(footnoteLabel(label.slice(1)))) {
      this.found.push({
        kind: 'footnote',
        start: start + 1,
        end: at + 1,
        close: at + 1,
        form: 'none',
        from: text - 1,
        to: at + 1,
        label: label.slice(1),
      })
    }
    return this.skip(at + 1)
  }

  private readTarget(start: number, close: number, label: string): Target | undefined {
    const { text, labels, parts } = this
    const isDefined = label !== '' && labels.has(label)
    const shortcut: Target = { form: 'shortcut', from: start, to: close, label, end: close + 1 }
    const next = text[close + 1]
    if (next === '(') return this.readResource(close + 1) ?? (isDefined ? shortcut : undefined)
    if (next !== '[') return isDefined ? shortcut : undefined
    const end = parts.labelClose(close + 1)
    const other = end < 0 ? '' : normalizeLabel(text.slice(close + 2, end))
    if (end >= 0 && labels.has(other))
      return { form: 'full', from: close + 2, to: end, label: other, end: end + 1 }
    return isDefined && text[close + 2] === ']'
      ? { ...shortcut, form: 'collapsed', end: close + 3 }
      : undefined
  }

  /** resource = "(" white-space* (destination (white-space+ title)?)? white-space* ")" */
  private readResource(open: number): Target | undefined {
    const { parts, text } = this
    const from = parts.skipBlank(open + 1)
    if (text[from] === ')') return { form: 'inline', from, to: from, label: '', end: from + 1 }
    const to = parts.destinationEnd(from, DEEPEST)
    if (to < 0) return undefined
    let end = parts.skipBlank(to)
    const title = end > to ? parts.titleEnd(end) : -1
    if (title >= 0) end = parts.skipBlank(title)
    return text[end] === ')' ? { form: 'inline', from, to, label: '', end: end + 1 } : undefined
  }
}

const ESCAPABLE = /[!-/:-@[-`{-~]/
