import { writeLinks } from '@packs/codec/internal'
import { foldText, type ReadingScope, deriveTerms, visitWords } from '../analysis/terms.ts'

/** The decoded text of a pack. */
export interface PackText {
  readonly title: string
  /** Returns a part of the body by its offsets, in UTF-16 units. */
  readonly slice: (start: number, end: number) => string
  /** Length of the body. */
  readonly length: number
  /** Offsets of the sections in the body. */
  readonly sections: readonly { readonly title: string; readonly start: number; readonly end: number }[]
  /** End of the part of the body that the reader may see. */
  readonly visible: number
}

/** What to find in the text of a pack. */
export interface TextRequest {
  /** Indices of sections; -1 for the pack as a whole. */
  readonly ordinals: readonly number[]
  /** In the visible part of a section, or in its heading, which everyone may see. */
  readonly phrases: readonly string[]
  /** Terms to show in the snippet, with their weights. */
  readonly terms: ReadonlyMap<string, number>
  /** The reader for whom the terms were looked up. */
  readonly scope: ReadingScope
}

export interface TextMatch {
  readonly ordinal: number
  /** Whether it contains all phrases. */
  readonly hasPhrases: boolean
  /** A piece of the text that the reader may see; `null` if that has no match. */
  readonly snippet: string | null
}

/**
 * Finds phrases in sections, and cuts a snippet of each. Neither reads text that the reader may not
 * see: by asking for one phrase after another, a reader could uncover it word by word.
 */
export function matchText(
  { title, slice, length, sections, visible }: PackText,
  request: TextRequest,
): TextMatch[] {
  const phrases = request.phrases.map(foldText)
  return request.ordinals.flatMap((ordinal) => {
    const section = ordinal < 0 ? { title, start: 0, end: length } : sections[ordinal]
    if (section === undefined) return []
    const { start, end } = section
    const seenEnd = Math.max(start, Math.min(end, visible, ordinal < 0 ? MAX_READ : end))
    // Nothing resolves the numbers of links.
    const seen = writeLinks(slice(start, seenEnd), [], 'drop')
    const searched = ordinal < 0 ? [title] : [section.title, seen]
    const texts = phrases.length === 0 ? [] : searched.map(foldText)
    return {
      ordinal,
      hasPhrases: phrases.every((phrase) => texts.some((text) => hasPhrase(text, phrase))),
      snippet: cutSnippet(seen, request.terms, { isWhole: visible >= end, scope: request.scope }),
    }
  })
}

/** Returns the indices of the sections that {@link matchText} reads. */
export function listReadSections(
  { sections, visible }: Pick<PackText, 'sections' | 'visible'>,
  ordinals: readonly number[],
): readonly number[] {
  const most = ordinals.some((ordinal) => ordinal < 0) ? Math.min(visible, MAX_READ) : 0
  const wanted = new Set(ordinals)
  return [...sections.keys()].filter((ordinal) => {
    const { start } = sections[ordinal]!
    return start < most || (wanted.has(ordinal) && start < visible)
  })
}

/** In scripts with spaces, only whole words match. */
function hasPhrase(text: string, phrase: string): boolean {
  const unspaced = /[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}]/v
  const before = unspaced.test(phrase[0] ?? '') ? '' : ' '
  const after = unspaced.test(phrase.at(-1) ?? '') ? '' : ' '
  return ` ${text} `.includes(before + phrase + after)
}

/** Longest snippet, in code points. */
const MAX_SNIPPET = 240
/** How much of a section or a pack is read for a snippet, in UTF-16 units. */
const MAX_READ = 100_000
/** Text before the first match, in UTF-16 units. */
const LEAD = 60

export interface Match {
  readonly start: number
  readonly end: number
  readonly terms: readonly string[]
}

/**
 * Cuts the piece with the most weight of terms: at most 240 code points, unchanged.
 * @param section A section or its start, with its heading.
 * @param isWhole Whether the section is complete; otherwise `null` if the piece has no term.
 */
function cutSnippet(
  section: string,
  terms: ReadonlyMap<string, number>,
  { isWhole, scope }: { readonly isWhole: boolean; readonly scope: ReadingScope },
): string | null {
  const read = section.slice(0, MAX_READ)
  const below = read.slice(findHeadingEnd(read))
  // Results show the heading already. A section that is only a heading keeps it.
  const text = below.trim() === '' ? read : below
  const matches = findMatches(text, terms, scope)
  if (text.trim() === '' || (!isWhole && matches.length === 0)) return null
  const { start, end } = chooseWindow(matches, terms)
  const from = start <= LEAD ? 0 : findWordStart(text, start - LEAD)
  const cut = Array.from(text.slice(from, Math.max(end, from + 2 * MAX_SNIPPET)).trimStart())
  if (cut.length <= MAX_SNIPPET) return cut.join('').trimEnd()
  const piece = cut.slice(0, MAX_SNIPPET).join('')
  const last = piece.search(/\s\S*$/)
  return (last > MAX_SNIPPET / 2 ? piece.slice(0, last) : piece).trimEnd()
}

/** Returns where the heading of a section ends; 0 if it has none. */
export function findHeadingEnd(section: string): number {
  const begun = section.trimStart()
  const heading = /^(?:#{1,6}(?:[ \t][^\r\n]*)?|[^\r\n]+\r?\n {0,3}(?:=+|-+)[ \t]*)(?:\r?\n|$)/.exec(begun)
  return heading === null ? 0 : section.length - begun.length + heading[0].length
}

/** Finds the words of a text that have one of the terms. */
export function findMatches(text: string, terms: ReadonlyMap<string, number>, scope: ReadingScope): Match[] {
  const matches: Match[] = []
  visitWords(text, (word) => {
    const found = deriveTerms(word, scope).filter((term) => terms.has(term.text))
    if (found.length === 0) return
    matches.push({ start: word.start, end: word.end, terms: found.map((term) => term.text) })
  })
  return matches
}

/** Finds the adjacent matches with the most weight, counting each term once. */
function chooseWindow(
  matches: readonly Match[],
  terms: ReadonlyMap<string, number>,
): { start: number; end: number } {
  let best = { start: 0, end: 0, weight: 0 }
  for (const [index, { start }] of matches.entries()) {
    const seen = new Set<string>()
    let weight = 0
    let end = start
    for (let at = index; at < matches.length && matches[at]!.end - start <= MAX_SNIPPET - LEAD; at++) {
      for (const term of matches[at]!.terms) {
        if (seen.has(term)) continue
        seen.add(term)
        weight += terms.get(term) ?? 0
      }
      end = matches[at]!.end
    }
    if (weight > best.weight) best = { start, end, weight }
  }
  return best
}

/** Moves an offset to the start of the next word, unless that is far away. */
function findWordStart(text: string, offset: number): number {
  const space = text.slice(offset, offset + LEAD).search(/\s/)
  if (space >= 0) return offset + space + 1
  const unit = text.charCodeAt(offset)
  return unit >= 0xdc00 && unit <= 0xdfff ? offset + 1 : offset
}
