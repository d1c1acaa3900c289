import type { Element, ElementContent, Parents, Root, RootContent } from 'hast'

/** Prefix of every id in a text, so that none equals an id of the page. */
export const ID_PREFIX = 'user-content-'

const EXTERNAL_LINK = /^(?:https?:\/\/[^\s/]|mailto:[^\s])/i
const HEADING = /^h[1-6]$/
const NESTING = /^(?:blockquote|ul|ol)$/
const INLINE = /^(?:a|br|code|del|em|input|img|strong|sup)$/
/** Maximum nesting of quotations and lists. Deeper ones are unwrapped into the last level. */
const MAX_NESTING = 20

/** Adapts the tree of a text to the page: headings move down one level, and scrolling elements can be focused. */
export function adaptTree(title: string): (tree: Root) => void {
  return (tree) => {
    dropTitle(tree, title)
    adaptChildren(tree, new Set(), 0)
  }
}

function dropTitle(tree: Root, title: string): void {
  const at = tree.children.findIndex((node) => node.type === 'element')
  const first = tree.children[at]
  if (first?.type === 'element' && first.tagName === 'h1' && getText(first).trim() === title.trim()) {
    tree.children.splice(at, 1)
  }
}

/** @param depth nesting of quotations and lists at `parent`, including itself */
function adaptChildren(parent: Parents, ids: Set<string>, depth: number): void {
  parent.children = (parent.children as RootContent[]).flatMap((node): ElementContent[] => {
    if (node.type === 'text') return [node]
    if (node.type !== 'element') return []
    const isNesting = NESTING.test(node.tagName)
    adaptChildren(node, ids, depth + Number(isNesting))
    if (isNesting && depth >= MAX_NESTING) return node.children
    if (node.tagName === 'li' && depth > MAX_NESTING) return wrapInParagraphs(node.children)
    return adaptElement(node, ids)
  })
}

function adaptElement(node: Element, ids: Set<string>): ElementContent[] {
  if (HEADING.test(node.tagName)) {
    node.properties['id'] ??= createHeadingId(node, ids)
    node.tagName = `h${Math.min(6, Number(node.tagName[1]) + 1)}`
  }
  prefixIds(node)
  switch (node.tagName) {
    case 'a':
      return adaptLink(node)
    case 'img':
      return [replaceImage(node)]
    case 'input':
      return [{ type: 'text', value: node.properties['checked'] === true ? '☑' : '☐' }]
    case 'pre':
      node.properties['tabIndex'] = 0
      return [node]
    case 'table': {
      const properties = { className: ['scroll'], role: 'group', ariaLabel: 'Table', tabIndex: 0 }
      return [{ type: 'element', tagName: 'div', properties, children: [node] }]
    }
    default:
      return [node]
  }
}

/** Wraps the loose text of an unwrapped list item in paragraphs. */
function wrapInParagraphs(nodes: readonly ElementContent[]): ElementContent[] {
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

function prefixIds({ properties }: Element): void {
  for (const name of ['id', 'ariaDescribedBy']) {
    const value = String(properties[name] ?? '')
    if (value !== '' && !value.startsWith(ID_PREFIX)) properties[name] = `${ID_PREFIX}${value}`
  }
}

/** Replaces a link by its text unless its target is allowed. */
function adaptLink(node: Element): ElementContent[] {
  const href = String(node.properties['href'] ?? '')
  node.children = node.children.flatMap(unwrapLinks)
  if (EXTERNAL_LINK.test(href)) {
    node.properties['rel'] = ['nofollow', 'noopener']
    return [node]
  }
  if (!href.startsWith('#') || href.length < 2) return node.children
  if (!href.startsWith(`#${ID_PREFIX}`))
    node.properties['href'] = `#${ID_PREFIX}${href.slice(1).toLowerCase()}`
  return [node]
}

/** Removes links inside a link, which come from linked images. */
function unwrapLinks(node: ElementContent): ElementContent[] {
  if (node.type !== 'element') return [node]
  node.children = node.children.flatMap(unwrapLinks)
  return node.tagName === 'a' ? node.children : [node]
}

/** Replaces an image by its description, linked if it has a web address: pages load nothing from other sites. */
function replaceImage(node: Element): ElementContent {
  const href = String(node.properties['src'] ?? '')
  const alt = String(node.properties['alt'] ?? '').trim() || 'no description'
  const text: ElementContent = { type: 'text', value: `[image: ${alt}]` }
  if (!/^https?:\/\/[^\s/]/i.test(href)) return text
  return {
    type: 'element',
    tagName: 'a',
    properties: { href, rel: ['nofollow', 'noopener'] },
    children: [text],
  }
}

/** Creates the id of a heading as other programs do: lower case, hyphens for white space, no punctuation. */
function createHeadingId(node: Element, ids: Set<string>): string {
  const name = getText(node)
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\s_-]/gu, '')
    .replace(/\s/gu, '-')
    .slice(0, 100)
  let id = `${ID_PREFIX}${name}`
  for (let count = 1; ids.has(id); count++) id = `${ID_PREFIX}${name}-${count}`
  ids.add(id)
  return id
}

function getText(node: ElementContent): string {
  if (node.type === 'text') return node.value
  return node.type === 'element' ? node.children.map(getText).join('') : ''
}
