import type { ElementContent } from 'hast'
import rehypeSanitize, { defaultSchema, type Options as Schema } from 'rehype-sanitize'
import rehypeStringify from 'rehype-stringify'
import remarkGfm from 'remark-gfm'
import remarkParse from 'remark-parse'
import remarkRehype from 'remark-rehype'
import { unified } from 'unified'
import { escapeBidi } from '../html/display-text.ts'
import type { Heading } from '../documents/read-document.ts'
import { adaptTree, ID_PREFIX } from './adapt-tree.ts'
import { hideExplicitIds, type Anchors } from './anchor-headings.ts'

export interface RenderedMarkdown extends Anchors {
  readonly markup: string
}

/**
 * Renders untrusted markdown as safe HTML. HTML in it is shown as text, links lead to the web, to
 * mail or into the text, and images become links. Headings have the ids of their sections; other
 * ids begin with `~`, unlike any section id.
 *
 * @param title a first heading with this text is omitted, because the page already shows it
 * @param headings the headings that begin sections
 */
export function renderMarkdown(
  markdown: string,
  title: string,
  headings: readonly Heading[],
): RenderedMarkdown {
  const text = escapeBidi(hideExplicitIds(markdown, headings))
  const parser = unified()
    .use(remarkParse)
    .use(remarkGfm)
    .use(remarkRehype, { clobberPrefix: ID_PREFIX, handlers: { html: convertHtmlToText } })
  const tree = parser.runSync(parser.parse(text))
  const anchors = adaptTree(tree, title, headings)
  const writer = unified().use(rehypeSanitize, schema).use(rehypeStringify)
  return { ...anchors, markup: writer.stringify(writer.runSync(tree)) }
}

/** The elements and attributes to keep. Everything else is dropped. */
const schema: Schema = {
  ...defaultSchema,
  // Ids in the text never collide with those of the page, which begin with `~`, unlike any section id.
  clobber: [],
  protocols: { href: ['http', 'https', 'mailto'] },
  tagNames:
    'a blockquote br button code del div em h2 h3 h4 h5 h6 hr li ol p pre section span strong sup table tbody td th thead tr ul'.split(
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
    p: [['className', 'raw']],
  },
}

/** Comments and empty anchors, which no reader sees. */
const UNSEEN = /^(?:\s*(?:<!--(?:(?!-->)[^])*-->|<a\s+(?:id|name)="[^"<>]*">\s*<\/a>))+\s*$/
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
  const text: ElementContent = { type: 'text', value }
  if (parent === undefined || !PHRASING_PARENTS.has(parent.type))
    return { type: 'element', tagName: 'p', properties: { className: ['raw'] }, children: [text] }
  if (BREAK.test(value)) return { type: 'element', tagName: 'br', properties: {}, children: [] }
  return isEmptyAnchor(node, parent) ? undefined : text
}

/** Whether the tag opens an anchor that the next one closes, or closes one that the last opened. */
function isEmptyAnchor(node: MarkdownNode, { children = [] }: MarkdownNode): boolean {
  const isOpening = ANCHOR.test(node.value ?? '')
  if (!isOpening && node.value !== '</a>') return false
  const at = children.indexOf(node)
  const [first, last] = isOpening ? [node, children[at + 1]] : [children[at - 1], node]
  return last?.value === '</a>' && ANCHOR.test(first?.value ?? '')
}
