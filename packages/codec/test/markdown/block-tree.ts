import type { Nodes, Root } from 'mdast'
import remarkFrontmatter from 'remark-frontmatter'
import remarkGfm from 'remark-gfm'
import remarkParse from 'remark-parse'
import { unified } from 'unified'
import { readCorpus } from '../tokens/corpus.ts'

const withMatter = unified().use(remarkParse).use(remarkGfm).use(remarkFrontmatter).freeze()
const withoutMatter = unified().use(remarkParse).use(remarkGfm).freeze()

const documents = new Set(readCorpus())
const trees = new Map<string, Root>()

/** Returns the tree of the reference parser. The documents of the corpus, which several test files read, are parsed once. */
export function parseMarkdown(text: string): Root {
  const tree = trees.get(text) ?? withMatter.parse(text)
  if (documents.has(text)) trees.set(text, tree)
  return tree
}

/** The block tree of the reference parser as a string: types, lines, depths, list and table shapes; no inline content. */
export function blockTree(text: string): string {
  return describeBlock(parseMarkdown(text))
}

/** {@link blockTree} of a parser without support for front matter. */
export function blockTreeWithoutMatter(text: string): string {
  return describeBlock(withoutMatter.parse(text))
}

/** The kind of block that owns each line, as one letter; `-` if there is none. */
export function blockLetters(text: string, count: number): string[] {
  const letters = Array.from({ length: count }, () => '-')
  fillLetters(parseMarkdown(text), letters)
  return letters
}

const LETTERS: Readonly<Record<string, string>> = {
  paragraph: 'p',
  thematicBreak: 't',
  code: 'c',
  html: 'x',
  table: 'b',
  definition: 'd',
  yaml: 'y',
  heading: 'h',
}

function fillLetters(node: Nodes, letters: string[]): void {
  const letter = LETTERS[node.type]
  if (letter === undefined) {
    if ('children' in node) for (const child of node.children) fillLetters(child, letters)
    return
  }
  const { start, end } = node.position!
  for (let line = start.line - 1; line < end.line; line++) {
    // A setext heading that follows definitions claims their lines too.
    if (letter !== 'h' || letters[line] !== 'd') letters[line] = letter
  }
}

function describeBlock(node: Nodes): string {
  const lines = `${node.position!.start.line}-${node.position!.end.line}`
  const isLeaf = node.type === 'paragraph' || node.type === 'heading' || node.type === 'tableCell'
  const children =
    !isLeaf && 'children' in node ? node.children.map((child) => describeBlock(child)).join('') : ''
  return `(${[node.type, lines, ...describeShape(node)].join(' ')}${children})`
}

function describeShape(node: Nodes): unknown[] {
  if (node.type === 'heading') return [node.depth]
  if (node.type === 'list') return [node.ordered, node.start, node.spread]
  if (node.type === 'listItem') return [node.spread, node.checked]
  if (node.type === 'table') return [node.align?.join(',')]
  return node.type === 'code' ? [node.lang, node.meta] : []
}
