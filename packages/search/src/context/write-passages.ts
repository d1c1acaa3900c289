import { groupBy, frameTexts, joinLinks, writeHead, writeNotes } from '@packs/codec/internal'
import type { FoundPack, FoundSection } from '../store.ts'
import type { Sized } from './choose-passages.ts'
import { trimLines } from './cut-section.ts'
import type { Context, ContextPassage } from './types.ts'

/** A passage of an answer: a section, or adjacent sections of a pack. */
interface WrittenPassage extends Omit<ContextPassage, 'tokens'> {
  /** The passage in its tags. */
  readonly tagged: string
}

/** The passages of an answer, and its text with the addresses of its numbers. */
export interface WrittenPassages extends Pick<Context, 'text' | 'links'> {
  readonly passages: readonly WrittenPassage[]
}

/** What an answer says before its passages. */
export type Notes = Parameters<typeof writeNotes>

/** By packs' best sections and in document order, adjacent ones joined, links numbered over all. */
export function writePassages(chosen: readonly Sized[], notes: Notes): WrittenPassages {
  if (chosen.length === 0) return { passages: [], text: '', links: {} }
  const groups = [...groupBy(chosen, ({ pack }) => pack.number).values()]
  const best = (group: readonly Sized[]): number => Math.max(...group.map(({ score }) => score))
  const compare = (a: readonly Sized[], b: readonly Sized[]): number =>
    best(b) - best(a) || (a[0]!.pack.slug < b[0]!.pack.slug ? -1 : 1)
  const joined = groups.toSorted(compare).flatMap(joinAdjacent)
  const numbered = joinLinks(joined.flat().map(({ linked, text }) => ({ ...linked, text })))
  const written = numbered.texts.values()
  const inner = joined.map((parts, index) => {
    const text = trimLines(parts.map(() => written.next().value!).join(''))
    const isFirst = joined[index - 1]?.[0]!.pack.number !== parts[0]!.pack.number
    return (writePlace(parts[0]!, isFirst) + text).toWellFormed()
  })
  const head = writeNotes(...notes) + writeHead(undefined, numbered.links.length > 0)
  const ids = joined.map(nameParts)
  const texts = frameTexts(
    inner.map((text, index) => ({ attributes: { id: ids[index]! }, text })),
    head,
  )
  const passages = joined.map((parts, index): WrittenPassage => {
    const { pack, section } = parts[0]!
    return {
      pack,
      sections: parts.map((part) => part.section),
      path: writePath(pack, findCommonPath(parts)),
      score: best(parts),
      text: inner[index]!,
      url: locateSection(pack, section),
      tagged: texts[index]!,
    }
  })
  const links = Object.fromEntries(numbered.links.map((address, at) => [at + 1, address]))
  return { passages, text: head + texts.join(''), links }
}

/** Groups sections that follow one another. A section that was cut stays alone. */
function joinAdjacent(group: readonly Sized[]): Sized[][] {
  const joined: Sized[][] = []
  for (const part of group.toSorted((a, b) => a.ordinal - b.ordinal)) {
    const before = joined.at(-1)?.at(-1)
    const isNext = before !== undefined && before.ordinal + 1 === part.ordinal
    if (isNext && !before.isCut && !part.isCut) joined.at(-1)!.push(part)
    else joined.push([part])
  }
  return joined
}

function findCommonPath([first, ...others]: readonly Sized[]): readonly string[] {
  const { path } = first!.section
  const isCommon = (title: string, at: number): boolean =>
    others.every(({ section }) => section.path[at] === title)
  const end = path.findIndex((title, at) => !isCommon(title, at))
  return end < 0 ? path : path.slice(0, end)
}

/** Title of the pack, then headings. The first heading of most packs is their title. */
export function writePath({ title }: FoundPack, headings: readonly string[]): readonly string[] {
  return [title, ...(headings[0] === title ? headings.slice(1) : headings)]
}

/** Code points of the ids of a tag, of a title in a line, and of that line. */
const MAX_IDS = 120
const MAX_TITLE = 60
const MAX_LINE = 120

/** The section, or the first and the last one. Ids that take many tokens are in passages only. */
function nameParts(parts: readonly Sized[]): string {
  const ids = [...new Set([parts[0]!, parts.at(-1)!].map(({ section }) => section.id))].join('…')
  const { slug } = parts[0]!.pack
  return ids.length > MAX_IDS ? slug : `${slug}#${ids}`
}

/**
 * A line with what is above the section's own heading, with which its text begins. The title comes
 * once for all passages of a pack, which follow one another.
 */
function writePlace({ pack, section }: Sized, isFirst: boolean): string {
  const path = writePath(pack, section.path).map(shorten)
  const above = path.slice(isFirst ? 0 : 1, section.path.length === 0 ? path.length : -1)
  const line = above.join(' › ')
  if (line.length <= MAX_LINE) return line === '' ? '' : `${line}\n`
  return `${[above[0], '…', above.at(-1)].join(' › ')}\n`
}

function shorten(title: string): string {
  const letters = Array.from(title.replace(/\s+/g, ' ').trim())
  return letters.length > MAX_TITLE ? `${letters.slice(0, MAX_TITLE).join('')}…` : letters.join('')
}

function locateSection({ url }: FoundPack, { id }: FoundSection): string | null {
  if (url === undefined) return null
  const [page = url] = url.split('#', 1)
  return id === '~intro' ? page : `${page}#${id}`
}
