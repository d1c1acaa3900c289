import type { Element, ElementContent, Root } from 'hast'
import rehypeHighlight from 'rehype-highlight'
import { unified } from 'unified'
import { getText } from './anchor-headings.ts'

/** UTF-16 units of a code block that is highlighted: some grammars take quadratic time. */
const MAX_BLOCK = 5000
/** UTF-16 units of all highlighted blocks of a text. */
const MAX_ALL = 60_000
/** Milliseconds after which the other blocks of a text stay plain. */
const MAX_MS = 1500

/** The slowest grammars of the common ones, and of the least use. */
const plainText = ['markdown', 'md', 'mkdown', 'mkd', 'php-template']
const processor = unified().use(rehypeHighlight, { plainText }).freeze()

/** Highlights a code block, `pre`, in place. */
export type Highlighter = (block: Element) => void

/**
 * Creates the highlighter of one text. Blocks that name no common language stay plain, and so do
 * large blocks and those beyond the limits.
 */
export function createHighlighter(): Highlighter {
  let units = 0
  let time = 0
  return (block) => {
    const { length } = getText(block)
    if (length > MAX_BLOCK || units + length > MAX_ALL || time > MAX_MS) return
    units += length
    const start = performance.now()
    const root: Root = { type: 'root', children: [block] }
    processor.runSync(root)
    time += performance.now() - start
  }
}

const ALERT = /^\[!(?<kind>note|tip|important|warning|caution)\](?:[ \t]*\n)?/i

/** Replaces the marker of an alert, such as `[!NOTE]`, by its name. */
export function nameAlert({ children }: Element): void {
  const paragraph = children.find((node) => node.type === 'element')
  const first = paragraph?.tagName === 'p' ? paragraph.children[0] : undefined
  const kind = first?.type === 'text' ? ALERT.exec(first.value)?.groups?.['kind'] : undefined
  if (paragraph === undefined || first?.type !== 'text' || kind === undefined) return
  const name = `${kind[0]!.toUpperCase()}${kind.slice(1).toLowerCase()}`
  const rest = first.value.replace(ALERT, '')
  paragraph.children.splice(
    0,
    1,
    { type: 'element', tagName: 'strong', properties: {}, children: [{ type: 'text', value: name }] },
    { type: 'element', tagName: 'br', properties: {}, children: [] },
    { type: 'text', value: rest },
  )
}

/** Characters that are as wide as two others. */
const WIDE = /[\u2E80-\u9FFF\uAC00-\uD7AF\uF900-\uFAFF\uFF00-\uFF60]/g
/** Lengths of texts from which a cell of a table has at least a certain width. */
const CELL_WIDTHS = [
  [64, 'wide'],
  [30, 'medium'],
  [14, 'narrow'],
] as const

/** Keeps the column of a long cell readable: a table scrolls before it breaks every word. */
export function addCellWidth(cell: Element): void {
  const { length } = getText(cell).replace(WIDE, '  ')
  const width = CELL_WIDTHS.find(([least]) => length >= least)
  if (width !== undefined) cell.properties['className'] = [width[1]]
}

const INLINE = /^(?:a|br|code|del|em|input|img|strong|sup)$/

/** Wraps the loose text of an unwrapped list item in paragraphs. */
export function wrapInParagraphs(nodes: readonly ElementContent[]): ElementContent[] {
  const blocks: ElementContent[] = []
  let paragraph: Element | undefined
  for (const node of nodes) {
    const isText = node.type === 'text' ? node.value.trim() !== '' : isInline(node)
    if (!isText && (node.type !== 'text' || paragraph === undefined)) {
      paragraph = undefined
      blocks.push(node)
      continue
    }
    if (paragraph === undefined) {
      paragraph = { type: 'element', tagName: 'p', properties: {}, children: [] }
      blocks.push(paragraph)
    }
    paragraph.children.push(node)
  }
  return blocks
}

function isInline(node: ElementContent): boolean {
  return node.type === 'element' && INLINE.test(node.tagName)
}
