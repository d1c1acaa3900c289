import { openDocument, type CatalogWork, type ReadingScope, type ThreadWork } from '@packs/catalog'
import { compareItems, splitLines, splitPieces } from '@packs/codec/internal'
import type { Section } from '@packs/codec/sections'
import { dropWrongPatch, placeSections, readForPeople, withoutPatch } from './read-document.ts'

interface CompareTask {
  /** Sequence numbers of the version before and of the version. */
  readonly sequences: readonly [before: number, after: number]
  readonly scope: ReadingScope
}

/**
 * Compares what the reader may see: all of both versions, or their two previews.
 * @throws CatalogError `catalog_damaged`
 */
export const work: CatalogWork<CompareTask, VersionComparison> = async (
  { packs, search },
  { sequences, scope },
) => {
  const isFull = scope === 'full'
  const read = async (sequence: number) => {
    const version = await packs.read(sequence)
    if (version === undefined) throw new Error('A version that was found no longer exists')
    const opened = openDocument(version)
    const pack = isFull ? await dropWrongPatch(opened) : withoutPatch(opened)
    const text = readForPeople(pack, scope)
    const sections = placeSections((await search.outline(sequence))?.sections ?? [], text)
    return {
      text,
      sections: sections.filter(({ level }) => level > 0),
      isWhole: isFull || pack.content === pack.preview_content,
    }
  }
  const [old, now] = [await read(sequences[0]), await read(sequences[1])]
  const areWhole = old.isWhole && now.isWhole
  const texts = areWhole ? ([old.text, now.text] as const) : alignEnds(old.text, now.text)
  return compareTexts(...texts, now.sections)
}

export const compareWork: ThreadWork<CompareTask, VersionComparison> = { module: import.meta.url, work }

/** A run of words; `null` for words that both versions have. */
export interface WordRun {
  readonly kind: 'added' | 'removed' | null
  readonly text: string
}

/** A passage that changed, with the lines around it. */
export interface Hunk {
  /** Unchanged lines that are omitted before it. */
  readonly skipped: number
  /** The section of the newer text that it is in; undefined before the first heading. */
  readonly section: Pick<Section, 'id' | 'title'> | undefined
  /** Whole lines each. One with several runs has words that changed and words that did not. */
  readonly pieces: readonly (readonly WordRun[])[]
}

/** How two versions differ, as far as the reader may see both. */
export interface VersionComparison {
  readonly hunks: readonly Hunk[]
  /** Unchanged lines that are omitted after the last hunk. */
  readonly rest: number
  /** Whether more changed than the hunks show. */
  readonly isTruncated: boolean
}

/** Beyond these all lines between the first and last difference count as replaced. */
const MAX_EDITS = 1000
const MAX_WORK = 20_000_000
/** UTF-16 units of a passage whose words are compared, and words in which it may differ. */
const MAX_COMPARED = 4000
const MAX_WORD_EDITS = 200
/** Share of the longer side that both must have, so that marked words are easy to read. */
const LEAST_COMMON = 0.25
/** Passages that a page shows, and their UTF-16 units with those of the markup of each run. */
const MAX_PASSAGES = 300
const MAX_SHOWN = 100_000
const RUN_MARKUP = 64
/** Lines around a passage, and their UTF-16 units. */
const CONTEXT = 2
const MAX_CONTEXT = 300

/**
 * Compares lines of two texts, and words of changed lines. Work and result are bounded.
 * @param sections of the newer text, in order, without the text before the first heading
 * @example
 * compareTexts('a\nb c\n', 'a\nb d\n').hunks[0]?.pieces // `a`, then `b` with `c` and `d`
 */
export function compareTexts(
  before: string,
  after: string,
  sections: readonly Pick<Section, 'id' | 'title' | 'start'>[] = [],
): VersionComparison {
  const [old, now] = [splitLines(before), splitLines(after)]
  const most = Math.min(MAX_EDITS, Math.ceil(MAX_WORK / (old.length + now.length + 1)))
  const hunks: (Hunk & { readonly pieces: (readonly WordRun[])[] })[] = []
  let [offset, left] = [0, MAX_SHOWN]
  for (const [at, { same, removed, added }] of compareItems(old, now, most).parts.entries()) {
    const isLast = removed.length + added.length === 0
    const between = same.join('')
    const isShort = !isLast && same.length <= 2 * CONTEXT && between.length <= 2 * MAX_CONTEXT
    const head = at === 0 ? [] : same.slice(0, isShort ? same.length : CONTEXT)
    const tail = isLast ? [] : same.slice(Math.max(head.length, same.length - CONTEXT))
    const skipped = same.length - head.length - tail.length
    if (head.length > 0) hunks.at(-1)!.pieces.push([{ kind: null, text: cutEnd(head.join('')) }])
    if (isLast) return { hunks, rest: skipped, isTruncated: false }
    if (at === MAX_PASSAGES) return { hunks, rest: 0, isTruncated: true }
    const [gone, fresh] = [removed.join(''), added.join('')]
    offset += between.length
    if (at === 0 || !isShort) {
      // Lines that are only removed were in the section before, if the next one begins there.
      const end = fresh === '' ? offset - 1 : offset
      const found = sections.findLast(({ start }) => start <= end)
      const section = found && { id: found.id, title: found.title }
      const whole = tail.join('')
      const cut = `…${whole.slice(-MAX_CONTEXT).replace(/^[\uDC00-\uDFFF]/, '')}`
      const text = whole.length <= MAX_CONTEXT ? whole : cut
      const pieces = tail.length === 0 ? [] : [[{ kind: null, text }]]
      hunks.push({ skipped, section, pieces })
    }
    offset += fresh.length
    for (const runs of compareWords(gone, fresh)) {
      const [{ kind, text }] = runs as readonly [WordRun]
      const shown = runs.length > 1 ? runs : [{ kind, text: cutEnd(text, left - RUN_MARKUP) }]
      if (left > RUN_MARKUP) hunks.at(-1)!.pieces.push(shown)
      left -= runs.reduce((sum, run) => sum + run.text.length + RUN_MARKUP, 0)
      if (left < 0) return { hunks, rest: 0, isTruncated: true }
    }
  }
  return { hunks, rest: 0, isTruncated: false }
}

/**
 * Cuts two beginnings of texts after the last line that both have, because they may end at
 * different places; not at all if they have no line in common.
 * @example
 * alignEnds('a\nb\n', 'A\nb\nc\n') // ['a\nb\n', 'A\nb\n']
 */
export function alignEnds(before: string, after: string): readonly [before: string, after: string] {
  const [old, now] = [splitLines(before), splitLines(after)]
  const cut = (lines: readonly string[], others: readonly string[]): string => {
    const known = new Set(others.filter((line) => line.trim() !== ''))
    return lines.slice(0, lines.findLastIndex((line) => known.has(line)) + 1).join('')
  }
  const [first, second] = [cut(old, now), cut(now, old)]
  return first === '' || second === '' ? [before, after] : [first, second]
}

/** Returns one piece with the words that changed, or the removed and added lines as a whole. */
function compareWords(removed: string, added: string): readonly (readonly WordRun[])[] {
  const whole = [listRuns('', removed, ''), listRuns('', '', added)].filter((runs) => runs.length > 0)
  if (whole.length < 2 || removed.length + added.length > MAX_COMPARED) return whole
  const { parts, isWhole } = compareItems(splitPieces(removed), splitPieces(added), MAX_WORD_EDITS)
  const common = parts.reduce((sum, { same }) => sum + same.join('').trim().length, 0)
  const isReadable = common >= LEAST_COMMON * Math.max(removed.trim().length, added.trim().length)
  if (isWhole || !isReadable) return whole
  return [parts.flatMap((part) => listRuns(part.same.join(''), part.removed.join(''), part.added.join('')))]
}

function listRuns(same: string, removed: string, added: string): WordRun[] {
  const runs: readonly WordRun[] = [
    { kind: null, text: same },
    { kind: 'removed', text: removed },
    { kind: 'added', text: added },
  ]
  return runs.filter(({ text }) => text !== '')
}

/** Cuts between characters, not within one. */
function cutEnd(text: string, length: number = MAX_CONTEXT): string {
  return text.length <= length ? text : `${text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '')}…`
}
