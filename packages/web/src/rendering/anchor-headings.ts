import { findHeadings, scanLines } from '@packs/codec/internal'
import type { Element, ElementContent, Properties, Root } from 'hast'
import type { Heading } from '../documents/read-document.ts'
import { escapeBidi, formatCount, formatFragment } from '../html/display-text.ts'

/** What links to a rendered text can lead to. */
export interface Anchors {
  /** Ids of the sections that have an anchor. */
  readonly ids: ReadonlySet<string>
  /** Id of the heading that is omitted because it repeats the title of the page. */
  readonly titleId: string | undefined
}

type AnchoredElements = Map<ElementContent, Heading>

/** At the end of a line: `{#id}` or `{/*id*\/}`, even before the closing `#` of a heading. */
const EXPLICIT =
  /(?<!\\)\{(?:#(?<hash>[^\s{}]{1,400})|\/\* ?(?<comment>[^\s{}]{1,400}) ?\*\/)\}(?=(?:[ \t]+#+)?[ \t]*$)/u

/** Removes the explicit ids of headings from a text (SPEC.md §9.7), without moving lines. */
export function hideExplicitIds(text: string, headings: readonly Heading[]): string {
  if (!/\{[#/]/.test(text)) return text
  // Every second part is a line end.
  const parts = text.split(/(\r\n?|\n)/)
  // An underlined heading can span several lines, and its id is on the last one.
  const found = findHeadings(scanLines(text, { frontMatter: false }))
  const lastLines = new Map(Array.from(found, ({ line, lastLine }) => [line, lastLine]))
  for (const { id, line } of headings) {
    const at = 2 * (lastLines.get(line - 1) ?? line - 1)
    parts[at] = (parts[at] ?? '').replace(EXPLICIT, (mark: string, hash?: string, comment?: string) =>
      isIdOf(id, hash ?? comment ?? '') ? '' : mark,
    )
  }
  return parts.join('')
}

/** Whether a section has this explicit id, possibly with a number that makes it unique. */
function isIdOf(id: string, explicit: string): boolean {
  return id === explicit || (id.startsWith(`${explicit}-`) && /^\d+$/.test(id.slice(explicit.length + 1)))
}

/** Finds the headings that begin sections. Those in quotations and lists do not. */
export function findAnchored({ children }: Root, headings: readonly Heading[]): AnchoredElements {
  const byLine = new Map(headings.map((heading) => [heading.line, heading]))
  const anchored: AnchoredElements = new Map()
  for (const node of children) {
    if (node.type !== 'element' || !/^h[1-6]$/.test(node.tagName)) continue
    const line = node.position?.start.line
    const heading = line === undefined ? undefined : byLine.get(line)
    if (heading !== undefined) anchored.set(node, heading)
  }
  return anchored
}

/** Drops a first heading that repeats the title; an element may keep its anchor. */
export function dropTitle(tree: Root, title: string, anchored: AnchoredElements): string | undefined {
  const elements = tree.children.filter((node) => node.type === 'element')
  const [first] = elements
  if (first?.tagName !== 'h1' || getText(first).trim() !== title.trim()) return undefined
  const heading = anchored.get(first)
  anchored.delete(first)
  const anchor = createElement('div')
  const keepsContainer = heading !== undefined && elements.length > 1
  if (keepsContainer) anchored.set(anchor, heading)
  tree.children.splice(tree.children.indexOf(first), 1, ...(keepsContainer ? [anchor] : []))
  return heading?.id
}

export function getText(node: ElementContent): string {
  if (node.type === 'text') return node.value
  return node.type === 'element' ? node.children.map(getText).join('') : ''
}

/**
 * Gives sections ids, and headings a link and a button that copies: next to the heading, so that
 * they are not part of its accessible name.
 */
export function addAnchors(tree: Root, anchored: AnchoredElements): void {
  const elements = tree.children.filter((node) => node.type === 'element')
  const empty = new Set(elements.filter((_, at) => anchored.has(elements[at + 1]!)))
  tree.children = tree.children.map((node) => {
    const heading = node.type === 'element' ? anchored.get(node) : undefined
    if (node.type !== 'element' || heading === undefined) return node
    node.properties['id'] = heading.id
    if (node.tagName === 'div') return node
    return addSign(node, empty.has(node) ? { ...heading, tokens: undefined } : heading)
  })
}

/** @param children a string becomes a text */
export function createElement(
  tagName: string,
  properties: Properties = {},
  ...children: readonly (ElementContent | string)[]
): Element {
  const nodes = children.map((child) =>
    typeof child === 'string' ? ({ type: 'text', value: child } as const) : child,
  )
  return { type: 'element', tagName, properties, children: nodes }
}

/** Creates a button that the script of the pages shows and serves. */
export function createCopyButton(what: Readonly<Record<string, string>>, name: string): Element {
  return createElement('button', { type: 'button', className: ['copy'], hidden: true, ...what }, name)
}

function addSign(element: Element, { id, title, tokens }: Heading): Element {
  const ariaLabel = title === '' ? 'Link to this section' : `Link to “${escapeBidi(title)}”`
  const sign = createElement('a', { className: ['anchor'], href: formatFragment(id), ariaLabel }, '#')
  const copy =
    tokens === undefined
      ? []
      : [createCopyButton({ dataCopySection: id }, `Copy ${formatCount(tokens, 'token')}`)]
  return createElement('div', { className: ['heading'] }, element, sign, ...copy)
}
