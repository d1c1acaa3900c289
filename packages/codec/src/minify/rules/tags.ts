import { LineKind } from '../../markdown/line-table.ts'
import type { Draft, InlineBlock } from '../draft.ts'
import type { Edit } from '../edited-text.ts'
import { isLayoutAttribute, isLayoutTag, readTag, type Tag, VERBATIM_TAG } from '../tags.ts'
import { mayMeetPlainly, removeBlock, removeInline, wouldJoin } from './comments.ts'

/** An HTML block: its lines, its tags in order, and whether nothing but its tags must stay. */
interface HtmlBlock {
  readonly line: number
  readonly last: number
  readonly tags: readonly Tag[]
  /** Text beside the tags, without the white space around it. */
  readonly pieces: readonly { readonly start: number; readonly end: number }[]
  mayGo: boolean
}

/** Proposes to take tags that say nothing out, and attributes that only style. */
export function proposeTags(draft: Draft): void {
  const htmlBlocks = findHtmlBlocks(draft)
  if (draft.has('tags')) {
    if (draft.dialects.has('vue') || draft.dialects.has('svelte')) proposeScripts(draft, htmlBlocks)
    proposeBlockTags(draft, htmlBlocks)
  }
  const inline = draft.blocks.map(({ inlines }) =>
    inlines.flatMap(({ kind, start, end }) => {
      const tag = kind === 'html' ? readTag(draft.text, start) : undefined
      return tag?.end === end ? [tag] : []
    }),
  )
  if (draft.has('tags'))
    for (const [index, tags] of inline.entries()) proposeInlineTags(draft, tags, draft.blocks[index]!)
  if (!draft.has('attributes')) return
  for (const { tags } of htmlBlocks) proposeAttributes(draft, tags)
  for (const tags of inline) proposeAttributes(draft, tags)
}

function findHtmlBlocks(draft: Draft): HtmlBlock[] {
  const { depths, tagLines, count } = draft.table
  const found: HtmlBlock[] = []
  for (const { line, last } of draft.htmlBlocks()) {
    const { tags, pieces, isPlain } = readBlock(draft, line, last)
    const isApart =
      depths[line] === 0 &&
      draft.isBlank(draft.findKept(line - 1, -1)) &&
      draft.isBlank(draft.findKept(last + 1, 1))
    found.push({ line, last, tags, pieces, mayGo: isApart && isPlain })
  }
  let [at, above, below] = [0, -1, 0]
  for (const [line, tags] of tagLines) {
    // The lines above and below that stay must not become one list.
    for (; at < line; at++) if (!draft.isBlank(at) && !tagLines.has(at)) above = at
    below = Math.max(below, line + 1)
    while (below < count && (draft.isBlank(below) || tagLines.has(below))) below++
    const mayGo = above < 0 || below >= count || !wouldJoin(draft, above, below)
    found.push({ line, last: line, tags, pieces: [], mayGo })
  }
  return found.toSorted((a, b) => a.line - b.line)
}

/** Signs that would be markdown outside of an HTML block, and line ends. */
const MARKDOWN = /[*_~`[\]<>&\\|#=$^{}\n\r]|:\/\/|@|^\s*(?:[-+]|\d+[.)])\s|^\s*-{2,}|^\s|www\./

/** Reads the tags of a block. It is plain if its text is one unindented piece without markup. */
function readBlock(
  draft: Draft,
  line: number,
  last: number,
): Pick<HtmlBlock, 'tags' | 'pieces'> & { isPlain: boolean } {
  const { text, table } = draft
  const tags: Tag[] = []
  const pieces: { start: number; end: number }[] = []
  let isPlain = true
  let offset = draft.textStart(line)
  const end = table.ends[last]!
  const addText = (from: number, to: number): void => {
    const part = text.slice(from, to).trimEnd()
    if (part === '') return
    const isIndented = text.charCodeAt(table.starts[draft.lineAt(from)]!) <= 32
    if (pieces.length > 0 || isIndented || MARKDOWN.test(part)) isPlain = false
    pieces.push({ start: from + part.length - part.trimStart().length, end: from + part.length })
  }
  while (offset < end) {
    const open = text.indexOf('<', offset)
    if (open < 0 || open >= end) break
    addText(offset, open)
    const tag = readTag(text, open)
    if (tag === undefined || tag.end > end) {
      isPlain = false
      offset = text.startsWith('<!--', open) ? text.indexOf('-->', open + 4) + 3 : open + 1
      if (offset <= open || offset > end) offset = end
      continue
    }
    tags.push(tag)
    offset = tag.end
    if (tag.closes || !VERBATIM_TAG.test(tag.name) || tag.isEmpty) continue
    isPlain = false
    const close = findClose(text, tag.name, offset, end)
    offset = close < 0 ? end : close
  }
  addText(Math.min(offset, end), end)
  return { tags, pieces, isPlain }
}

const CLOSE = /<\/(pre|textarea|code|samp|script|style|kbd|svg|math)(?=[\s>])/gi

function findClose(text: string, name: string, from: number, end: number): number {
  for (const { 1: found, index } of text.slice(from, end).matchAll(CLOSE))
    if (found!.toLowerCase() === name.toLowerCase()) return from + index
  return -1
}

/**
 * Takes blocks out that are nothing but tags of which none says something, together with the blocks
 * of their other tags; and the tags around a line of text.
 */
function proposeBlockTags(draft: Draft, blocks: readonly HtmlBlock[]): void {
  const partners = pairTags(blocks)
  const isGone = (tag: Tag): boolean => {
    if (tag.isEmpty) return isLayoutTag(tag)
    const partner = partners.get(tag)
    return partner !== undefined && partner[1].mayGo && isLayoutTag(tag.closes ? partner[0] : tag)
  }
  // A block that stays keeps the blocks that have partners of its tags.
  const waiting = [...blocks]
  for (let block = waiting.pop(); block !== undefined; block = waiting.pop()) {
    if (block.mayGo) block.mayGo = block.tags.every((tag) => isImage(draft, tag) || isGone(tag))
    if (block.mayGo) continue
    for (const tag of block.tags) {
      const other = partners.get(tag)?.[1]
      if (other?.mayGo) waiting.push(other)
    }
  }
  for (const block of blocks) {
    if (!block.mayGo || block.tags.length === 0) continue
    const edits: Edit[] = []
    for (const other of findGroup(block, partners)) {
      other.mayGo = false
      edits.push(...takeOut(draft, other))
    }
    draft.propose('tags', edits)
  }
}

/** The blocks that are joined to one by pairs of tags, with itself. */
function findGroup(block: HtmlBlock, partners: ReadonlyMap<Tag, readonly [Tag, HtmlBlock]>): Set<HtmlBlock> {
  const group = new Set([block])
  for (const member of group) {
    for (const tag of member.tags) {
      const partner = partners.get(tag)
      if (partner !== undefined) group.add(partner[1])
    }
  }
  return group
}

/** Pairs the tags of all blocks by name, the innermost first. */
function pairTags(blocks: readonly HtmlBlock[]): Map<Tag, readonly [Tag, HtmlBlock]> {
  const open = new Map<string, [Tag, HtmlBlock][]>()
  const partners = new Map<Tag, readonly [Tag, HtmlBlock]>()
  for (const block of blocks) {
    for (const tag of block.tags) {
      if (tag.isEmpty) continue
      const stack = open.get(tag.name) ?? []
      open.set(tag.name, stack)
      if (!tag.closes) {
        stack.push([tag, block])
        continue
      }
      const opener = stack.pop()
      if (opener === undefined) continue
      partners.set(tag, opener)
      partners.set(opener[0], [tag, block])
    }
  }
  return partners
}

/** What is safe as the text of an image. */
const ALT = /^[^\n\r[\]\\`*_<>&"]*$/

/** Attributes of an image besides its layout that an image of markdown does without. */
const IMAGE_ATTRIBUTE = /^(?:src|alt|loading|decoding|srcset|sizes)$/

function readImage(tag: Tag): { alt: string; address: string } | undefined {
  if (tag.name !== 'img') return undefined
  const values = new Map(tag.attributes.map(({ name, value }) => [name, value]))
  const { alt = '', address = '' } = { alt: values.get('alt'), address: values.get('src') }
  const isKnown = tag.attributes.every((one) => IMAGE_ATTRIBUTE.test(one.name) || isLayoutAttribute(tag, one))
  return isKnown && /^[^\s<>&{]+$/.test(address) && ALT.test(alt) ? { alt, address } : undefined
}

function isImage(draft: Draft, tag: Tag): boolean {
  return draft.has('links') && readImage(tag) !== undefined
}

/** The edits that leave the text and the images of a block. */
function takeOut(draft: Draft, { line, last, tags, pieces }: HtmlBlock): Edit[] {
  const { starts, ends, count, tagLines } = draft.table
  const images = tags.filter((tag) => isImage(draft, tag))
  if (tagLines.has(line) && images.length === 0) {
    // A blank line remains if there is none beside it.
    const isBeside = draft.isBlank(line - 1) || draft.isBlank(line + 1)
    return [
      { at: starts[line]!, end: isBeside && line + 1 < count ? starts[line + 1]! : ends[line]!, insert: '' },
    ]
  }
  if (pieces.length === 0 && images.length === 0)
    return [{ at: starts[line]!, end: starts[last + 2] ?? ends[last]!, insert: '' }]
  const edits: Edit[] = []
  let at = starts[line]!
  for (const piece of [...images, ...pieces].toSorted((x, y) => x.start - y.start)) {
    const gap = at === starts[line]! ? '' : ' '
    if ('name' in piece) {
      const { alt, address } = readImage(piece as Tag)!
      edits.push({ at, end: piece.end, insert: `${gap}![${alt}](`, address, tail: ')' })
    } else edits.push({ at, end: piece.start, insert: gap })
    at = piece.end
  }
  edits.push({ at, end: ends[last]!, insert: '' })
  return edits.filter((edit) => edit.at < edit.end || edit.insert !== '')
}

/** Expressions and bindings, which may show what a script holds. */
const SHOWS = /\{|\s(?:v-|:|@|bind:)[\w-]/
/** A script of nothing but imports and comments. */
const IMPORTS = /^(?:\s|import\s[^;\n]*(?:;|\n)|\/\/[^\n]*\n)*$/

/** Takes out styles, scripts of imports and, if the text shows no values, other scripts. */
function proposeScripts(draft: Draft, blocks: readonly HtmlBlock[]): void {
  const { text, table } = draft
  const scripts = blocks.filter(({ line, last, tags: [tag] }) => {
    if (tag === undefined || !/^(?:script|style)$/.test(tag.name) || tag.start !== draft.textStart(line))
      return false
    const body = text.slice(tag.end, table.ends[last]).trimEnd()
    return !tag.closes && body.indexOf(`</${tag.name}`) === body.length - tag.name.length - 3
  })
  const shows = scripts.length > 0 && SHOWS.test(draft.textOutside(scripts))
  for (const block of scripts) {
    const { line, last, tags } = block
    const body = text.slice(tags[0]!.end, text.lastIndexOf('</', table.ends[last]))
    if (tags[0]!.name === 'script' && shows && !IMPORTS.test(body)) continue
    removeBlock(draft, line, last, '', 'tags')
    block.mayGo = false
  }
}

/** Takes the tags of pairs out that say nothing, in one leaf block; and makes images of `img`. */
function proposeInlineTags(draft: Draft, tags: readonly Tag[], { line, last, parts }: InlineBlock): void {
  const { text, table } = draft
  if (holdsOnlyAnchors(draft, tags, parts)) {
    // They stay where they are all there is in a heading, cell or item.
    if (table.kinds[line] === LineKind.paragraph && table.depths[line] === 0)
      removeBlock(draft, line, last, '', 'tags')
    return
  }
  const open: Tag[] = []
  const counts = new Map<string, number>()
  const count = (name: string, step: 1 | -1): unknown => counts.set(name, (counts.get(name) ?? 0) + step)
  for (const tag of tags) {
    const image = draft.has('links') ? readImage(tag) : undefined
    if (image !== undefined) {
      const insert = `![${image.alt}](`
      draft.propose('tags', [{ at: tag.start, end: tag.end, insert, address: image.address, tail: ')' }])
    } else if (tag.isEmpty) {
      if (isLayoutTag(tag)) draft.propose('tags', removeInline(draft, tag.start, tag.end))
    } else if (!tag.closes) {
      open.push(tag)
      count(tag.name, 1)
    } else if ((counts.get(tag.name) ?? 0) > 0) {
      let opener = open.pop()!
      for (count(opener.name, -1); opener.name !== tag.name; count(opener.name, -1)) opener = open.pop()!
      if (!isLayoutTag(opener)) continue
      if (opener.end === tag.start) {
        draft.propose('tags', removeInline(draft, opener.start, tag.end))
        continue
      }
      const left = { at: opener.start, end: opener.end, insert: '' }
      const right = { at: tag.start, end: tag.end, insert: '' }
      const isSafe = [left, right].every((edit) =>
        mayMeetPlainly(text.charAt(edit.at - 1) || '\n', text.charAt(edit.end) || '\n'),
      )
      if (isSafe) draft.propose('tags', [left, right])
    }
  }
}

/** Whether a leaf block is nothing but empty elements that say nothing. */
function holdsOnlyAnchors({ text }: Draft, tags: readonly Tag[], parts: InlineBlock['parts']): boolean {
  if (tags.length === 0 || tags[0]!.start !== parts[0]!.start) return false
  const isPaired = tags.every((tag, index) =>
    index % 2 === 0 ? !tag.closes && isLayoutTag(tag) : tag.closes && tag.name === tags[index - 1]!.name,
  )
  const gaps = tags.map(({ end }, index) => text.slice(end, tags[index + 1]?.start ?? parts.at(-1)!.end))
  return isPaired && tags.length % 2 === 0 && gaps.every((gap) => gap.trim() === '')
}

function proposeAttributes(draft: Draft, tags: readonly Tag[]): void {
  for (const tag of tags) {
    const edits = tag.attributes
      .filter((attribute) => isLayoutAttribute(tag, attribute))
      .map(({ start, end }): Edit => ({ at: start, end, insert: '' }))
    if (edits.length > 0 && !tag.closes) draft.propose('attributes', edits)
  }
}
