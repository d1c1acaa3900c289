import { openDocument, type CatalogWork, type ThreadWork } from '@packs/catalog'
import { decode, parseRosetta, type RosettaEntry } from '@packs/codec'
import { composePrompt } from '@packs/codec/compose'
import { loadTokenizer } from '@packs/codec/tokens'
import { diffArrays, diffWordsWithSpace } from 'diff'
import type { Scope } from './read-document.ts'

export interface CompareTask {
  /** Sequence numbers of the version before and of the version. */
  readonly sequences: readonly [before: number, after: number]
  readonly scope: Scope
}

/** A run of words; `null` for words that both versions have. */
export interface WordRun {
  readonly kind: 'added' | 'removed' | null
  readonly text: string
}

/** A part of both texts: lines that changed, or a number of lines that did not. */
export type DiffPart =
  | { readonly kind: 'changed'; readonly runs: readonly WordRun[] }
  | { readonly kind: 'same'; readonly lines: number; readonly first: string; readonly last: string }

/** How two versions differ, as far as the reader may see both. */
export interface VersionComparison {
  /** Tokens of source and prompt; the prompt is absent if it cannot be composed. */
  readonly source: readonly [before: number, after: number]
  readonly prompt: readonly [before: number, after: number] | undefined
  /** Titles of the headings that only one of them has. */
  readonly headings: { readonly added: readonly string[]; readonly removed: readonly string[] }
  /** Entries of the header that only one of them has; none for a reader of previews. */
  readonly entries: { readonly added: readonly RosettaEntry[]; readonly removed: readonly RosettaEntry[] }
  readonly parts: readonly DiffPart[]
  /** Whether more changed than `parts` has. */
  readonly isTruncated: boolean
}

/** Lines that may differ before the texts count as replaced. */
const MAX_EDITS = 4000
/** Characters of a changed part whose words are compared. */
const MAX_WORDS_LENGTH = 4000
/** UTF-16 units of changed parts, and changed parts, that a page shows. */
const MAX_SHOWN = 100_000
const MAX_PARTS = 300
const MAX_LISTED = 100
/** UTF-16 units of the lines that surround a change. */
const MAX_CONTEXT = 200

/**
 * Reads two versions and compares what the reader may see: all of both, or their two previews.
 *
 * @throws CatalogError `catalog_damaged`
 */
export const work: CatalogWork<CompareTask, VersionComparison> = async (catalog, { sequences, scope }) => {
  const [before, after] = await Promise.all(
    sequences.map(async (sequence) => {
      const version = await catalog.packs.read(sequence)
      if (version === undefined) throw new Error('A version that was found no longer exists')
      const pack = openDocument(version)
      const outline = await catalog.search.outline(sequence)
      await loadTokenizer(pack.tokenizer)
      const content = scope === 'full' ? pack.content : pack.preview_content
      return {
        text: decode(content, pack.rosetta),
        entries: scope === 'full' ? parseRosetta(pack.rosetta).entries : [],
        headings: (outline?.sections ?? []).filter(({ level }) => level > 0).map(({ title }) => title),
        source: pack.uncompressed_estimate,
        prompt: countPrompt(pack),
      }
    }),
  )
  const [old, now] = [before!, after!]
  const name = ({ term, expansion }: RosettaEntry): string => `${term}\u0000${expansion}`
  return {
    source: [old.source, now.source],
    prompt: old.prompt === undefined || now.prompt === undefined ? undefined : [old.prompt, now.prompt],
    headings: listDifferences(old.headings, now.headings, (title) => title),
    entries: listDifferences(old.entries, now.entries, name),
    ...compareTexts(old.text, now.text),
  }
}

export const compareWork: ThreadWork<CompareTask, VersionComparison> = { module: import.meta.url, work }

function countPrompt(pack: Parameters<typeof composePrompt>[0][number]): number | undefined {
  try {
    return composePrompt([pack], { asBuilt: true }).tokens
  } catch {
    return undefined
  }
}

/** Lists what only one of two lists has, as often as it has more of it. */
function listDifferences<T>(
  before: readonly T[],
  after: readonly T[],
  name: (item: T) => string,
): { readonly added: readonly T[]; readonly removed: readonly T[] } {
  const without = (items: readonly T[], others: readonly T[]): readonly T[] => {
    const counts = new Map<string, number>()
    for (const item of others) counts.set(name(item), (counts.get(name(item)) ?? 0) + 1)
    return items
      .filter((item) => {
        const left = counts.get(name(item)) ?? 0
        counts.set(name(item), left - 1)
        return left <= 0
      })
      .slice(0, MAX_LISTED)
  }
  return { added: without(after, before), removed: without(before, after) }
}

/**
 * Compares two texts line by line, and the words of lines that changed. Texts that differ in more
 * than 4,000 lines count as replaced as a whole.
 *
 * @example
 * compareTexts('a\nb\n', 'a\nc\n').parts // one line that is the same, then `b` removed and `c` added
 */
export function compareTexts(
  before: string,
  after: string,
): Pick<VersionComparison, 'parts' | 'isTruncated'> {
  const changes = diffArrays(splitLines(before), splitLines(after), { maxEditLength: MAX_EDITS })
  const all = changes ?? [
    { removed: true, added: false, value: splitLines(before) },
    { removed: false, added: true, value: splitLines(after) },
  ]
  const parts: DiffPart[] = []
  let shown = 0
  let changed = 0
  for (let at = 0; at < all.length; at++) {
    const change = all[at]!
    if (!change.added && !change.removed) {
      const [first = '', last = ''] = [change.value[0], change.value.at(-1)]
      const cut = (line: string): string => line.slice(0, MAX_CONTEXT)
      parts.push({ kind: 'same', lines: change.value.length, first: cut(first), last: cut(last) })
      continue
    }
    const next = all[at + 1]
    const isPair = next !== undefined && (next.added || next.removed)
    const pair = isPair ? [change, next] : [change]
    if (isPair) at++
    const removed = pair.flatMap(({ removed: is, value }) => (is ? value : [])).join('')
    const added = pair.flatMap(({ added: is, value }) => (is ? value : [])).join('')
    if (shown + removed.length + added.length > MAX_SHOWN || changed >= MAX_PARTS)
      return { parts, isTruncated: true }
    shown += removed.length + added.length
    changed += 1
    parts.push({ kind: 'changed', runs: compareWords(removed, added) })
  }
  return { parts, isTruncated: false }
}

function compareWords(removed: string, added: string): readonly WordRun[] {
  const whole: WordRun[] = [
    { kind: 'removed', text: removed },
    { kind: 'added', text: added },
  ]
  if (removed === '' || added === '' || removed.length + added.length > MAX_WORDS_LENGTH)
    return whole.filter(({ text }) => text !== '')
  return diffWordsWithSpace(removed, added).map((run) => ({
    kind: run.added ? 'added' : run.removed ? 'removed' : null,
    text: run.value,
  }))
}

function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}
