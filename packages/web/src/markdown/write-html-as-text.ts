import type { ElementContent } from 'hast'

/** Begins every id that a text makes, so that none is one of the page's own. */
export const ID_PREFIX = 'user-content-'

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
export function writeHtmlAsText(
  _state: unknown,
  node: { readonly value: string },
  parent: { readonly type: string } | undefined,
): ElementContent | undefined {
  if (COMMENTS.test(node.value)) return undefined
  const text: ElementContent = { type: 'text', value: node.value }
  if (parent !== undefined && PHRASING_PARENTS.has(parent.type)) return text
  return { type: 'element', tagName: 'p', properties: {}, children: [text] }
}
