import type { ElementContent } from 'hast'
import rehypeSanitize, { defaultSchema, type Options as Schema } from 'rehype-sanitize'
import rehypeStringify from 'rehype-stringify'
import remarkGfm from 'remark-gfm'
import remarkParse from 'remark-parse'
import remarkRehype from 'remark-rehype'
import { unified } from 'unified'
import { escapeBidi } from '../html/display-text.ts'
import { adaptTree, ID_PREFIX } from './adapt-tree.ts'

/**
 * Renders markdown that nobody vouches for: HTML in it shows as text, links lead to the web, to mail or inside the
 * text, images become links, and ids begin with `user-content-`.
 *
 * @param title left out where the text begins with it as a heading, since the page shows it already
 */
export function renderMarkdown(markdown: string, title: string): string {
  return String(createProcessor(title).processSync(escapeBidi(markdown)))
}

/** What is left when the tree was adapted; whatever else comes is dropped with its attributes. */
const schema: Schema = {
  ...defaultSchema,
  // The ids there are were made here, with the prefix.
  clobber: [],
  protocols: { href: ['http', 'https', 'mailto'] },
  tagNames:
    'a blockquote br code del div em h2 h3 h4 h5 h6 hr li ol p pre section strong sup table tbody td th thead tr ul'.split(
      ' ',
    ),
  attributes: {
    a: ['href', 'rel', 'id', 'ariaDescribedBy', 'ariaLabel', 'dataFootnoteRef', 'dataFootnoteBackref'],
    code: [['className', /^language-[\w+#.-]{1,40}$/]],
    div: [
      ['className', 'scroll'],
      ['role', 'group'],
      ['ariaLabel', 'Table'],
      ['tabIndex', 0],
    ],
    h2: ['id'],
    h3: ['id'],
    h4: ['id'],
    h5: ['id'],
    h6: ['id'],
    li: ['id'],
    ol: ['start'],
    pre: [['tabIndex', 0]],
    section: ['dataFootnotes'],
    td: ['align'],
    th: ['align'],
  },
}

function createProcessor(title: string): { processSync(markdown: string): unknown } {
  return unified()
    .use(remarkParse)
    .use(remarkGfm)
    .use(remarkRehype, { clobberPrefix: ID_PREFIX, handlers: { html: convertHtmlToText } })
    .use(adaptTree, title)
    .use(rehypeSanitize, schema)
    .use(rehypeStringify)
}

const COMMENTS = /^(?:\s*<!--(?:(?!-->)[^])*-->)+\s*$/
const PHRASING_PARENTS: ReadonlySet<string> = new Set([
  'paragraph',
  'heading',
  'emphasis',
  'strong',
  'delete',
  'link',
  'linkReference',
  'tableCell',
])

/** Turns a piece of HTML into the text that it is; comments, which are not for readers, are left out. */
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
