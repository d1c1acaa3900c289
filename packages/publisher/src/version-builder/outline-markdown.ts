import { createHash } from 'node:crypto'
import { createContext, Script } from 'node:vm'
import type { Nodes, Root } from 'mdast'
import remarkGfm from 'remark-gfm'
import remarkParse from 'remark-parse'
import { unified } from 'unified'

/** Structure and content digest of a markdown text, used to compare two versions. */
export interface Outline {
  /** Heading texts in order, with runs of white space collapsed to one space. */
  readonly headings: readonly string[]
  /** Blocks in document order, depth first. */
  readonly blocks: readonly Block[]
  /**
   * SHA-256 of everything a reader sees: texts, link targets, code; not the layout of the source.
   */
  readonly contentDigest: string
}

export interface Block {
  /** Name used in reasons: `paragraph`, `list item`, `table of 3 columns`. */
  readonly kind: string
  /** Number of enclosing blocks. */
  readonly depth: number
}

/**
 * Longest text to parse, in UTF-16 units: ordinary markdown takes 2-4 seconds and 600 MB of memory
 * per megabyte.
 */
const MAX_PARSED_LENGTH = 512 * 1024

/**
 * Some texts take quadratic time to parse, such as repeated `>` or unclosed links, so parsing is
 * cut off.
 */
const PARSE_TIMEOUT_MS = 5000

const processor = unified().use(remarkParse).use(remarkGfm)

/**
 * Outlines a text from its markdown tree; `undefined` if it is too long or takes too long to parse.
 */
export function outlineTree(markdown: string): Outline | undefined {
  if (markdown.length > MAX_PARSED_LENGTH) return undefined
  try {
    return outlineNodes(parseWithTimeout(markdown))
  } catch (error) {
    if (error instanceof RangeError || (error as NodeJS.ErrnoException).code === TIMED_OUT) return undefined
    throw error
  }
}

const TIMED_OUT = 'ERR_SCRIPT_EXECUTION_TIMEOUT'

const script = new Script('parse()')

const context = createContext({ parse: undefined })

/**
 * Only the JavaScript engine can stop code that never yields; it does so for scripts and the
 * functions they call.
 */
function parseWithTimeout(markdown: string): Root {
  context['parse'] = () => processor.parse(markdown)
  try {
    return script.runInContext(context, { timeout: PARSE_TIMEOUT_MS }) as Root
  } finally {
    context['parse'] = undefined
  }
}

interface Visit {
  readonly node: Nodes
  readonly depth: number
  readonly isFlow: boolean
}

/** Iterative, because a tree may be as deep as its text is long. */
function outlineNodes(root: Root): Outline {
  const headings: string[] = []
  const blocks: Block[] = []
  const content = createHash('sha256')
  const stack: Visit[] = [{ node: root, depth: 0, isFlow: true }]
  for (let visit = stack.pop(); visit !== undefined; visit = stack.pop()) {
    const { node, depth, isFlow } = visit
    const kind = isFlow ? describeBlock(node) : undefined
    if (kind !== undefined) blocks.push({ kind, depth })
    if (node.type === 'heading') headings.push(readText(node))
    content.update(`${JSON.stringify(readValues(node, depth))}\n`)
    if (!('children' in node)) continue
    const isContainer = FLOW_PARENTS.has(node.type)
    for (const child of node.children.toReversed())
      stack.push({ node: child, depth: depth + 1, isFlow: isContainer })
  }
  return { headings, blocks, contentDigest: content.digest('hex') }
}

const FLOW_PARENTS: ReadonlySet<string> = new Set([
  'root',
  'blockquote',
  'list',
  'listItem',
  'table',
  'footnoteDefinition',
])

const BLOCK_KINDS: Readonly<Record<string, string>> = {
  paragraph: 'paragraph',
  blockquote: 'block quote',
  list: 'list',
  listItem: 'list item',
  code: 'code block',
  tableRow: 'table row',
  html: 'HTML block',
  thematicBreak: 'thematic break',
  footnoteDefinition: 'footnote',
}

/** Comments and link definitions are not blocks, but count as content. */
function describeBlock(node: Nodes): string | undefined {
  if (node.type === 'heading') return `heading of level ${node.depth}`
  if (node.type === 'table') return `table of ${node.children[0]?.children.length ?? 0} columns`
  if (node.type === 'html' && /^(?:\s*<!--(?:(?!-->).)*-->)*\s*$/s.test(node.value)) return undefined
  return BLOCK_KINDS[node.type]
}

/**
 * Returns the fields of a node except position and children. Line breaks in prose count as spaces.
 */
function readValues(node: Nodes, depth: number): unknown[] {
  const values: unknown[] = [depth]
  for (const [key, value] of Object.entries(node)) {
    if (key === 'position' || key === 'children' || key === 'data' || key === 'spread') continue
    values.push(key, node.type === 'text' && key === 'value' ? joinSpace(String(value)) : value)
  }
  return values
}

function readText(heading: Nodes): string {
  let text = ''
  const stack: Nodes[] = [heading]
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if ('value' in node) text += node.value
    else if ('alt' in node) text += node.alt ?? ''
    if ('children' in node) stack.push(...node.children.toReversed())
  }
  return joinSpace(text).trim()
}

function joinSpace(text: string): string {
  return text.replace(/\s+/g, ' ')
}

/**
 * Outlines a text of any size from its lines: `#` headings, fences, and runs of lines between blank
 * lines.
 */
export function outlineLines(markdown: string): Outline {
  const headings: string[] = []
  const blocks: Block[] = []
  const content = createHash('sha256')
  let fence: string | undefined
  let isInBlock = false
  for (const line of markdown.split(/\r\n|\r|\n/)) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    const heading = /^ {0,3}(#{1,6})(?:[ \t](.*))?$/.exec(line)
    if (fence !== undefined) {
      if (mark?.startsWith(fence) && line.trim() === mark) fence = undefined
    } else if (mark !== undefined) {
      fence = mark
      isInBlock = false
      blocks.push({ kind: 'code block', depth: 1 })
    } else if (heading) {
      isInBlock = false
      headings.push(trimHeading(heading[2] ?? ''))
      blocks.push({ kind: `heading of level ${heading[1]!.length}`, depth: 1 })
    } else if (line.trim() === '') isInBlock = false
    else if (!isInBlock) {
      isInBlock = true
      blocks.push({ kind: 'block', depth: 1 })
    }
    content.update(`${fence === undefined ? line.trim() : line}\n`)
  }
  return { headings, blocks, contentDigest: content.digest('hex') }
}

function trimHeading(text: string): string {
  const words = text.split(/\s+/).filter((word) => word !== '')
  if (/^#+$/.test(words.at(-1) ?? '')) words.pop()
  return words.join(' ')
}
