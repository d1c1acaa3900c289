import rehypeSanitize, { defaultSchema, type Options as Schema } from 'rehype-sanitize'
import rehypeStringify from 'rehype-stringify'
import remarkGfm from 'remark-gfm'
import remarkParse from 'remark-parse'
import remarkRehype from 'remark-rehype'
import rehypeHighlight from 'rehype-highlight'
import type { ElementContent, Element, Parents, Root, RootContent } from 'hast'
import { unified } from 'unified'
import { escapeBidi, formatFragment, formatSectionPath } from '../html/display-text.ts'
import type { Heading } from '../documents/read-document.ts'
import {
  hideExplicitIds,
  type Anchors,
  addAnchors,
  createCopyButton,
  createElement,
  dropTitle,
  findAnchored,
  getText,
} from './anchor-headings.ts'

export interface RenderedMarkdown extends Anchors {
  readonly markup: string
}

/**
 * Renders untrusted markdown as safe HTML. HTML in it is shown as text, links lead to the web, to
 * mail or into the text, and images become links. Headings have the ids of their sections; other
 * ids begin with `~`, unlike any section id.
 * @param title a first heading with this text is omitted, because the page already shows it
 * @param otherIds of sections in other parts of the text, which links may lead to
 */
export function renderMarkdown(
  markdown: string,
  title: string,
  headings: readonly Heading[],
  otherIds: readonly string[] = [],
): RenderedMarkdown {
  const text = escapeBidi(hideExplicitIds(markdown, headings))
  const parser = unified()
    .use(remarkParse)
    .use(remarkGfm)
    .use(remarkRehype, { clobberPrefix: ID_PREFIX, handlers: { html: convertHtmlToText } })
  const tree = parser.runSync(parser.parse(text))
  const anchors = adaptTree(tree, title, headings, otherIds)
  const writer = unified().use(rehypeSanitize, schema).use(rehypeStringify)
  return { ...anchors, markup: writer.stringify(writer.runSync(tree)) }
}

const schema: Schema = {
  ...defaultSchema,
  // Ids in the text never collide with those of the page, which begin with `~`, unlike any section id.
  clobber: [],
  protocols: { href: ['http', 'https', 'mailto'] },
  tagNames:
    'a bdi blockquote br button code del div em h2 h3 h4 h5 h6 hr li ol p pre section span strong sup table tbody td th thead tr ul'.split(
      ' ',
    ),
  attributes: {
    a: [
      ['className', 'anchor'],
      'href',
      'rel',
      'id',
      'ariaDescribedBy',
      'ariaLabel',
      'dataFootnoteRef',
      'dataFootnoteBackref',
    ],
    button: [['type', 'button'], ['className', 'copy'], 'hidden', 'dataCopySection', 'dataCopyCode'],
    code: [['className', 'hljs', /^language-[\w+#.-]{1,40}$/]],
    span: [['className', /^hljs-[a-z-]{1,40}$/]],
    div: [
      'id',
      ['className', 'heading', 'scroll', 'code-block'],
      ['role', 'group'],
      ['ariaLabel', 'Table'],
      ['tabIndex', 0],
    ],
    ...Object.fromEntries(['h2', 'h3', 'h4', 'h5', 'h6', 'li'].map((name) => [name, ['id']])),
    ol: ['start'],
    pre: [['tabIndex', 0]],
    section: ['dataFootnotes'],
    td: ['align', ['className', 'narrow', 'medium', 'wide']],
    th: ['align', ['className', 'narrow', 'medium', 'wide']],
    p: [
      ['className', 'raw'],
      ['dir', 'ltr'],
    ],
  },
}

/** Comments, empty anchors and plain containers, which no reader sees. */
const UNSEEN =
  /^(?:\s*(?:<!--(?:(?!-->)[^])*-->|<a\s+(?:id|name)="[^"<>]*">\s*<\/a>|<\/?div(?:\s+(?:dir|align)="[a-z]{1,9}")*\s*>))+\s*$/
const ANCHOR = /^<a\s+(?:id|name)=(?:"[^"<>]*"|'[^'<>]*')\s*>$/i
const BREAK = /^<br\s*\/?>$/i
const PHRASING_PARENTS: ReadonlySet<string> = new Set(
  'paragraph heading emphasis strong delete link linkReference tableCell'.split(' '),
)

interface MarkdownNode {
  readonly type: string
  readonly value?: string
  readonly children?: readonly MarkdownNode[]
}

/** Converts HTML to its source as text, without what no reader sees. Line breaks are kept. */
function convertHtmlToText(
  _state: unknown,
  node: MarkdownNode & { readonly value: string },
  parent: MarkdownNode | undefined,
): ElementContent | undefined {
  const { value } = node
  if (UNSEEN.test(value)) return undefined
  if (parent === undefined || !PHRASING_PARENTS.has(parent.type))
    return createElement('p', { className: ['raw'], dir: 'ltr' }, value)
  if (BREAK.test(value)) return createElement('br')
  return isEmptyAnchor(node, parent) ? undefined : { type: 'text', value }
}

/** Whether the tag opens an anchor that the next one closes, or closes one that the last opened. */
function isEmptyAnchor(node: MarkdownNode, { children = [] }: MarkdownNode): boolean {
  const isOpening = ANCHOR.test(node.value ?? '')
  if (!isOpening && node.value !== '</a>') return false
  const at = children.indexOf(node)
  const [first, last] = isOpening ? [node, children[at + 1]] : [children[at - 1], node]
  return last?.value === '</a>' && ANCHOR.test(first?.value ?? '')
}

/** UTF-16 units of a code block that is highlighted: some grammars take quadratic time. */
const MAX_BLOCK = 5000
/** UTF-16 units of all highlighted blocks of a text. */
const MAX_ALL = 60_000
/** Milliseconds after which the other blocks of a text stay plain. */
const MAX_MS = 1500

/** The slowest grammars of the common ones, and of the least use. */
const plainText = ['markdown', 'md', 'mkdown', 'mkd', 'php-template']
const processor = unified().use(rehypeHighlight, { plainText }).freeze()

/** Blocks without a common language stay plain, and large ones and those beyond the limits. */
function createHighlighter(): Context['highlight'] {
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
function nameAlert({ children }: Element): void {
  const paragraph = children.find((node) => node.type === 'element')
  const first = paragraph?.tagName === 'p' ? paragraph.children[0] : undefined
  const kind = first?.type === 'text' ? ALERT.exec(first.value)?.groups?.['kind'] : undefined
  if (paragraph === undefined || first?.type !== 'text' || kind === undefined) return
  const name = `${kind[0]!.toUpperCase()}${kind.slice(1).toLowerCase()}`
  const rest = first.value.replace(ALERT, '')
  const marker = [createElement('strong', {}, name), createElement('br')]
  paragraph.children.splice(0, 1, ...marker, { type: 'text', value: rest })
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
function addCellWidth(cell: Element): void {
  const { length } = getText(cell).replace(WIDE, '  ')
  const width = CELL_WIDTHS.find(([least]) => length >= least)
  if (width !== undefined) cell.properties['className'] = [width[1]]
}

const INLINE = /^(?:a|br|code|del|em|input|img|strong|sup)$/

/** Wraps the loose text of an unwrapped list item in paragraphs. */
function wrapInParagraphs(nodes: readonly ElementContent[]): ElementContent[] {
  const blocks: ElementContent[] = []
  let paragraph: Element | undefined
  for (const node of nodes) {
    const isText =
      node.type === 'text' ? node.value.trim() !== '' : node.type === 'element' && INLINE.test(node.tagName)
    if (!isText && (node.type !== 'text' || paragraph === undefined)) {
      paragraph = undefined
      blocks.push(node)
      continue
    }
    if (paragraph === undefined) {
      paragraph = createElement('p')
      blocks.push(paragraph)
    }
    paragraph.children.push(node)
  }
  return blocks
}

/** A link whose address a site generator writes, such as `[text]({{< relref "page.md" >}})`. */
const GENERATED_LINK =
  /!?\[(?<text>[^\][\n]{1,400})\]\(\{(?:\{[<%]|%)[^{}\n]{1,400}[%>]?\}?\}[^()\s]{0,400}\)/g

/** Prefix of footnote ids. Section ids contain no `~`, so they never collide with these. */
const ID_PREFIX = '~note-'

const EXTERNAL_LINK = /^(?:https?:\/\/[^\s/]|mailto:[^\s])/i
const HEADING = /^h[1-6]$/
const NESTING = /^(?:blockquote|ul|ol)$/
/** Maximum nesting of quotations and lists. Deeper ones are unwrapped into the last level. */
const MAX_NESTING = 20

interface Context {
  readonly ids: ReadonlySet<string>
  readonly otherIds: ReadonlySet<string>
  /** Levels of the headings above the current place, without those that are skipped. */
  readonly levels: number[]
  /** Highlights a code block, `pre`, in place. */
  readonly highlight: (block: Element) => void
}

/**
 * Gives sections anchors and headings their levels, highlights code, and makes scrolling elements
 * focusable.
 */
function adaptTree(
  tree: Root,
  title: string,
  headings: readonly Heading[],
  otherIds: readonly string[],
): Anchors {
  const anchored = findAnchored(tree, headings)
  const titleId = dropTitle(tree, title, anchored)
  const ids = new Set([...anchored.values()].map(({ id }) => id))
  const context = { ids, otherIds: new Set(otherIds), levels: [], highlight: createHighlighter() }
  adaptChildren(tree, context, 0)
  addAnchors(tree, anchored)
  return { ids, titleId }
}

/** @param depth nesting of quotations and lists at `parent`, including itself */
function adaptChildren(parent: Parents, context: Context, depth: number): void {
  parent.children = (parent.children as RootContent[]).flatMap((node): ElementContent[] => {
    if (node.type === 'text' && parent.type === 'element' && parent.tagName !== 'code')
      node.value = node.value.replace(GENERATED_LINK, '$<text>')
    if (node.type === 'text') return [node]
    if (node.type !== 'element') return []
    const isNesting = NESTING.test(node.tagName)
    adaptChildren(node, context, depth + Number(isNesting))
    if (isNesting && depth >= MAX_NESTING) return node.children
    if (node.tagName === 'li' && depth > MAX_NESTING) return wrapInParagraphs(node.children)
    return adaptElement(node, context)
  })
}

function adaptElement(node: Element, context: Context): ElementContent[] {
  const { levels, highlight } = context
  if (HEADING.test(node.tagName)) {
    const level = Number(node.tagName[1])
    while ((levels.at(-1) ?? 0) >= level) levels.pop()
    node.tagName = `h${Math.min(6, levels.push(level) + 1)}`
  }
  prefixIds(node)
  switch (node.tagName) {
    case 'a':
      return adaptLink(node, context)
    case 'img':
      return [replaceImage(node)]
    case 'input':
      return [{ type: 'text', value: node.properties['checked'] === true ? '☑' : '☐' }]
    case 'pre': {
      highlight(node)
      node.properties['tabIndex'] = 0
      const button = createCopyButton({ dataCopyCode: '' }, 'Copy')
      return [createElement('div', { className: ['code-block'] }, node, button)]
    }
    case 'table': {
      const properties = { className: ['scroll'], role: 'group', ariaLabel: 'Table', tabIndex: 0 }
      return [createElement('div', properties, node)]
    }
    case 'blockquote':
      nameAlert(node)
      return [node]
    case 'td':
    case 'th':
      addCellWidth(node)
      return [node]
    default:
      return [node]
  }
}

function prefixIds({ properties }: Element): void {
  for (const name of ['id', 'ariaDescribedBy']) {
    const value = String(properties[name] ?? '')
    if (value !== '' && !value.startsWith(ID_PREFIX)) properties[name] = `${ID_PREFIX}${value}`
  }
}

/** Replaces a link with its text unless its target is allowed. */
function adaptLink(node: Element, { ids, otherIds }: Context): ElementContent[] {
  const href = String(node.properties['href'] ?? '')
  node.children = node.children.flatMap(unwrapLinks)
  if (EXTERNAL_LINK.test(href)) {
    node.properties['rel'] = ['nofollow', 'noopener']
    return [node]
  }
  if (href.startsWith(`#${ID_PREFIX}`)) return [node]
  const fragment = href.startsWith('#') ? href.slice(1) : ''
  const id = findSection(fragment, ids)
  const other = id ?? findSection(fragment, otherIds)
  if (other === undefined) return node.children
  node.properties['href'] = id === undefined ? formatSectionPath('', other) : formatFragment(id)
  return [node]
}

/** Finds the section that a link names, in its own case or in lower case. */
function findSection(fragment: string, ids: ReadonlySet<string>): string | undefined {
  const name = decodeFragment(fragment)
  return [name, name.toLowerCase()].find((id) => ids.has(id))
}

function decodeFragment(fragment: string): string {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}

/** Removes links within a link, which come from linked images. */
function unwrapLinks(node: ElementContent): ElementContent[] {
  if (node.type !== 'element') return [node]
  node.children = node.children.flatMap(unwrapLinks)
  return node.tagName === 'a' ? node.children : [node]
}

/** Replaces an image with its description, linked if it has a web URL: pages load nothing. */
function replaceImage(node: Element): ElementContent {
  const href = String(node.properties['src'] ?? '')
  const alt = String(node.properties['alt'] ?? '').trim() || 'no description'
  // Isolated, so that its English word does not decide the direction of the page.
  const text = createElement('bdi', {}, `[image: ${alt}]`)
  if (!/^https?:\/\/[^\s/]/i.test(href)) return text
  return createElement('a', { href, rel: ['nofollow', 'noopener'] }, text)
}
