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
 * Renders untrusted markdown as safe HTML. HTML in it is shown as text, links lead to the web, to mail or into the text,
 * images become links, and ids begin with `user-content-`.
 *
 * @param title a first heading with this text is left out, because the page already shows it
 */
export function renderMarkdown(markdown: string, title: string): string {
  return String(createProcessor(title).processSync(escapeBidi(markdown)))
}

/** The elements and attributes that remain. Everything else is dropped. */
const schema: Schema = {
  ...defaultSchema,
  // All ids already have the prefix.
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

/** Converts HTML to its source as text. Comments are left out, as they are not meant for readers. */
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
