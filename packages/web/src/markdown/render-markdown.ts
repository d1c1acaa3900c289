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
    'a blockquote br code del div em h2 h3 h4 h5 h6 hr li ol p pre section strong sup table tbody td th thead tr ul'.split(
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
    code: [['className', /^language-[\w+#.-]{1,40}$/]],
    div: [
      'id',
      ['className', 'heading', 'scroll'],
      ['role', 'group'],
      ['ariaLabel', 'Table'],
      ['tabIndex', 0],
    ],
    ...Object.fromEntries(['h2', 'h3', 'h4', 'h5', 'h6', 'li'].map((name) => [name, ['id']])),
    ol: ['start'],
    pre: [['tabIndex', 0]],
    section: ['dataFootnotes'],
    td: ['align'],
    th: ['align'],
  },
}

const COMMENTS = /^(?:\s*<!--(?:(?!-->)[^])*-->)+\s*$/
const PHRASING_PARENTS: ReadonlySet<string> = new Set(
  'paragraph heading emphasis strong delete link linkReference tableCell'.split(' '),
)

/** Converts HTML to its source as text. Comments are omitted: they are not meant for readers. */
function convertHtmlToText(
  _state: unknown,
  node: { readonly value: string },
  parent: { readonly type: string } | undefined,
): ElementContent | undefined {
  if (COMMENTS.test(node.value)) return undefined
  const text: ElementContent = { type: 'text', value: node.value }
  if (parent !== undefined && PHRASING_PARENTS.has(parent.type)) return text
  return { type: 'element', tagName: 'p', properties: {}, children: [text] }
}
