import type { Definition, Nodes, Parents, Root } from 'mdast'
import remarkGfm from 'remark-gfm'
import remarkParse from 'remark-parse'
import { unified } from 'unified'
import { TEMPLATE } from '../../src/minify/restore-text.ts'
import { isLayoutAttribute, isLayoutTag, readTag, type Tag, VERBATIM_TAG } from '../../src/minify/tags.ts'
import type { Dialect } from '../../src/minify/types.ts'

const parser = unified().use(remarkParse).use(remarkGfm).freeze()

/** Stands for a comment of a dialect. */
const REMOVED = '\u2042'
const DIALECT_COMMENTS: Partial<Record<Dialect, RegExp>> = {
  mdx: /(?<!\{)\{\/\*[^]*?\*\/\}/g,
  vault: /%%[^]*?%%/g,
  hugo: /\{\{\/\*[^]*?\*\/\}\}/g,
}
const TEMPLATES: Partial<Record<Dialect, RegExp>> = { kramdown: /\{(?:\{(?![<%])|%)/, hugo: /\{\{[<%]/ }
const TEMPLATE_LINK = /(?<=(?<!\\)\[(?![!^])[^[\]\\<\n]*)\]\([^()[\]\\\n]* [^()[\]\\\n]*\)/g

/**
 * The document that a reader of a markdown text sees, as the reference parser finds it: its blocks
 * and inlines without what minify may leave out. A source and its minified text have the same.
 *
 * @param links The addresses of the numbers. Without them links keep what they have.
 */
export function normalForm(
  text: string,
  dialect: readonly Dialect[] = [],
  links: readonly string[] = [],
): string {
  const bare = dialect.reduce(
    (rest, each) => encodeTemplates(dropComments(rest, DIALECT_COMMENTS[each]), TEMPLATES[each]),
    text,
  )
  const blocks = dialect.includes('mdx') ? markTagLines(bare) : bare
  return new Writer(parser.parse(blocks), new Set(dialect), links).write()
}

/** In MDX a line of tags is a block, and what follows it is markdown. */
function markTagLines(text: string): string {
  return text.replace(/^([ \t]*)((?:<[^<>\n]*>[ \t]*)+)$/gm, (line, indent: string, content: string) => {
    let shown = ''
    for (let at = 0; at < content.length;) {
      const tag = readTag(content, at)
      if (tag === undefined || VERBATIM_TAG.test(tag.name)) return line
      shown += writeTag(tag)
      at = tag.end + /^[ \t]*/.exec(content.slice(tag.end))![0].length
    }
    return shown === '' ? '' : `\n${indent}${shown}\n`
  })
}

/** A tag without what only arranges and styles; empty if nothing remains. */
function writeTag(tag: Tag): string {
  const attributes = tag.attributes.filter((attribute) => !isLayoutAttribute(tag, attribute))
  const shown = { ...tag, attributes }
  if (tag.closes ? isLayoutTag({ ...shown, closes: false }) : isLayoutTag(shown)) return ''
  const list = attributes.map(({ name, value }) => ` ${name}=${value}`).join('')
  return `\uE003${tag.closes ? '/' : ''}${tag.name}${list}${tag.isEmpty ? '/' : ''}>`
}

/** Marks the comments of a dialect outside of code; in a vault none that formulas and links make unclear. */
function dropComments(text: string, pattern: RegExp | undefined): string {
  if (pattern === undefined || (pattern.source.startsWith('%%') && /\$|\[\[[^\]\n]*%%/.test(text)))
    return text
  let masked = text
  for (const [start, end] of listFixed(parser.parse(text)))
    masked =
      masked.slice(0, start) +
      text.slice(start, end).replaceAll('%', '\uE004').replaceAll('/*', '\uE005*') +
      masked.slice(end)
  return masked.replace(pattern, REMOVED).replaceAll('\uE004', '%').replaceAll('\uE005*', '/*')
}

/** In some dialects a template with blanks is the address of a link, unless it is code. */
function encodeTemplates(text: string, template: RegExp | undefined): string {
  if (template === undefined) return text
  const fixed = listFixed(parser.parse(text))
  return text.replace(TEMPLATE_LINK, (found, offset: number) => {
    const address = found.slice(2, -1)
    const isShown = fixed.every(([start, end]) => offset >= end || offset + found.length <= start)
    const isAddress = isShown && TEMPLATE.test(address) && template.test(address)
    return isAddress ? `](${encodeURIComponent(address)})` : found
  })
}

function listFixed(node: Nodes): [number, number][] {
  if ('children' in node) return node.children.flatMap((child) => listFixed(child))
  const { start, end } = node.position ?? {}
  const isFixed = node.type === 'code' || node.type === 'inlineCode'
  return isFixed ? [[start!.offset!, end!.offset!]] : []
}

class Writer {
  private readonly root: Root
  private readonly dialects: ReadonlySet<Dialect>
  private readonly links: readonly string[]
  private readonly definitions = new Map<string, Definition>()
  private readonly headings = new Set<string>()

  constructor(root: Root, dialects: ReadonlySet<Dialect>, links: readonly string[]) {
    this.root = root
    this.dialects = dialects
    this.links = links
    this.collect(root)
  }

  write(): string {
    return this.writeBlocks(this.root)
  }

  private collect(node: Nodes): void {
    if (node.type === 'definition' && !this.definitions.has(node.identifier))
      this.definitions.set(node.identifier, node)
    if (node.type === 'heading') this.headings.add(wordsOf(node))
    if ('children' in node) for (const child of node.children) this.collect(child)
  }

  private writeBlocks(node: Parents): string {
    return node.children
      .map((child) => this.writeBlock(child))
      .filter((block) => block !== '')
      .join('\n')
      .replace(/^/gm, node.type === 'root' ? '' : '  ')
  }

  private writeBlock(node: Nodes): string {
    switch (node.type) {
      case 'paragraph': {
        const words = this.writeInlines(node).replace(/\s*\uE001break\uE002$/, '')
        return words === '' || this.isImport(words) ? '' : `paragraph ${words}`
      }
      case 'heading':
        return `heading ${node.depth} ${this.writeInlines(node).replace(/\s*\{#[\w:.-]+\}$/, '')}`
      case 'html':
        return this.writeHtmlBlock(node.value)
      case 'code':
        return `code ${JSON.stringify([node.lang, node.meta, node.value])}`
      case 'list': {
        if (this.isContents(node)) return ''
        const { ordered, start } = node
        // In the reference parser blank lines behind a list may make it loose.
        const lines = node.children.map(({ position }) => position!)
        const isLoose = lines.some(({ start }, at) => at > 0 && start.line > lines[at - 1]!.end.line + 1)
        return `list ${JSON.stringify([ordered, start, isLoose])}\n${this.writeBlocks(node)}`
      }
      case 'listItem':
        return `item ${JSON.stringify([node.checked, node.spread])}\n${this.writeBlocks(node)}`
      case 'footnoteDefinition':
        return `note ${node.identifier}\n${this.writeBlocks(node)}`
      case 'table': {
        const rows = node.children.map((row) =>
          row.children.map((cell) => this.writeInlines(cell)).join(' | '),
        )
        return `table ${JSON.stringify(node.align)}\n${rows.map((row) => `  row ${row}`).join('\n')}`
      }
      case 'definition':
        return ''
      default:
        return 'children' in node ? `${node.type}\n${this.writeBlocks(node)}` : node.type
    }
  }

  private isImport(words: string): boolean {
    return this.dialects.has('mdx') && /^(?:import|export)\b/.test(words)
  }

  /** Whether every item of a list is one link to a heading of the page, with its words. */
  private isContents(node: Nodes): boolean {
    if (node.type !== 'list' || node.children.some(({ children }) => children.length === 0)) return false
    return node.children.every((item) =>
      item.children.every((child, index) => {
        if (index > 0) return this.isContents(child)
        const [link, other] = child.type === 'paragraph' ? child.children : []
        const isLink = link?.type === 'link' && other === undefined && this.urlOf(link.url).startsWith('#')
        return isLink && this.headings.has(wordsOf(link))
      }),
    )
  }

  private writeHtmlBlock(html: string): string {
    const value = html.replaceAll(REMOVED, '')
    const isScript = this.dialects.has('vue') || this.dialects.has('svelte')
    if (isScript && /^\s*<(?:script|style)\b/.test(value)) return ''
    const [words, hasTags] = this.writeHtml(value)
    const collapsed = /<(?:pre|textarea)\b/i.test(words) ? words : joinImages(words)
    if (collapsed === '') return ''
    return hasTags ? `html ${collapsed}` : `paragraph ${collapsed}`
  }

  /** HTML without comments, layout tags and attributes; images as in markdown. Whether tags remain. */
  private writeHtml(value: string): [string, boolean] {
    let written = ''
    let hasTags = false
    let offset = 0
    for (let at = value.indexOf('<'); at >= 0; at = value.indexOf('<', offset)) {
      written += value.slice(offset, at)
      const comment = /^<!--(?:>|->|[^]*?-->)/.exec(value.slice(at))
      const tag = comment === null ? readTag(value, at) : undefined
      if (comment === null) {
        const [shown, isTag] = tag === undefined ? ['<', true] : this.writeTag(tag)
        written += shown
        hasTags ||= isTag
      }
      offset = comment === null ? (tag?.end ?? at + 1) : at + comment[0].length
    }
    return [written + value.slice(offset), hasTags]
  }

  private writeTag(tag: Tag): [string, boolean] {
    const find = (name: string): string | undefined => tag.attributes.find((one) => one.name === name)?.value
    if (tag.name === 'img' && find('src') !== undefined)
      return [`\uE001image ${find('alt') ?? ''} ${this.urlOf(find('src')!)}\uE002`, false]
    const shown = writeTag(tag)
    return [shown, shown !== '']
  }

  private writeInlines(node: Parents): string {
    const words = node.children.map((child) => this.writeInline(child)).join('')
    const lists = this.dialects.has('mkdocs') || this.dialects.has('kramdown')
    return joinImages(lists ? words.replace(/\s*\{:?\s*(?:[.#][\w:.-]+\s*)+\}/g, '') : words)
  }

  private writeInline(node: Nodes): string {
    switch (node.type) {
      case 'text':
        return this.writeText(node.value)
      case 'html':
        return this.writeHtml(node.value.replaceAll(REMOVED, ''))[0]
      case 'inlineCode':
        return `\uE001code ${JSON.stringify(node.value)}\uE002`
      case 'break':
        return '\uE001break\uE002'
      case 'link':
        // A link without a place is not the reference parser's, but of the tree that is made of it.
        if (node.position === undefined) return this.writeInlines(node)
        return this.writeLink('link', this.urlOf(node.url), node)
      case 'linkReference':
        return this.writeLink('link', this.definitions.get(node.identifier)!.url, node)
      case 'image':
        return `\uE001image ${node.alt} ${this.urlOf(node.url)}\uE002`
      case 'imageReference':
        return `\uE001image ${node.alt} ${this.definitions.get(node.identifier)!.url}\uE002`
      case 'footnoteReference':
        return `\uE001note ${node.identifier}\uE002`
      default:
        return 'children' in node ? `\uE001${node.type} ${this.writeInlines(node)}\uE002` : node.type
    }
  }

  private writeText(value: string): string {
    const words = value.replaceAll(REMOVED, '')
    if (!this.dialects.has('vault')) return words
    return words.replace(
      /(?<!!)\[\[([^[\]|\n]+?)\\?\|([^[\]|\n]+)\]\]/g,
      (_, target: string, shown: string) => `\uE001link ${target} ${shown}\uE002`,
    )
  }

  private writeLink(kind: string, url: string, node: Parents): string {
    return `\uE001${kind} ${url} ${this.writeInlines(node)}\uE002`
  }

  private urlOf(url: string): string {
    if (this.links.length === 0 || !/^\d+$/.test(url)) return url
    const address = this.links[Number(url) - 1]
    if (address === undefined) throw new RangeError(`No address for ${url}`)
    return decodeAddress(address)
  }
}

/** An address without escapes and entities, as a parser reads it. */
function decodeAddress(address: string): string {
  if (TEMPLATE.test(address) && address.includes(' ')) return encodeURIComponent(address)
  for (const text of [`[x](${address})`, `[x](<${address}>)`]) {
    const [paragraph] = parser.parse(text).children
    const [link, other] = paragraph?.type === 'paragraph' ? paragraph.children : []
    if (link?.type === 'link' && other === undefined) return link.url
  }
  return address
}

function wordsOf(node: Nodes): string {
  if ('value' in node) return node.type === 'html' ? '' : node.value.toLowerCase()
  if (!('children' in node)) return ''
  const words = node.children.map((child) => wordsOf(child)).join('')
  return collapse(words.replace(/\{:?\s*#[\w:.-]+\s*\}\s*$/, ''))
}

/** White space between images of HTML and before a break does not count. */
function joinImages(words: string): string {
  return collapse(words)
    .replaceAll('\uE002 \uE001image', '\uE002\uE001image')
    .replaceAll(' \uE001break', '\uE001break')
}

function collapse(words: string): string {
  return words.replace(/[ \t\n\r]+/g, ' ').replace(/^ | $/g, '')
}
