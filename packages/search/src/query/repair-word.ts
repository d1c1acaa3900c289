import { groupBy, countEdits } from '@packs/codec/internal'
import { foldWord, stemWord } from '../analysis/terms.ts'
import { COMMON_STEMS } from '../generated/common-words.ts'
import type { SearchStore, TermRow } from '../store.ts'

/** A replacement for a word that the catalog lacks. */
export interface Repair {
  /** The text to show: one word, or two that were written as one. */
  readonly text: string
  readonly terms: readonly TermRow[]
}

/** Shorter words resemble too many others. Of words of this length no letter is replaced. */
const MIN_LENGTH = 4
/** Words of this length may be repaired with two edits, if the first two letters are right. */
const MIN_LENGTH_OF_TWO = 9
/** Shortest part when a word is split in two. */
const MIN_PART = 3
/** Maximum number of words with the same prefix to compare. */
const MAX_COMPARED = 2000
/** Longest word to repair. */
const MAX_LENGTH = 32

let commonStems: ReadonlySet<string> | undefined

/** Whether a word, or another form of it, is common in English, so that it is hardly misspelt. */
function isCommon(word: string): boolean {
  commonStems ??= readStems()
  return commonStems.has(stemWord(word))
}

function readStems(): ReadonlySet<string> {
  let stem = ''
  const read = (part: string): string => (stem = stem.slice(0, Number(part[0])) + part.slice(1))
  return new Set(Array.from(COMMON_STEMS.match(/\d[a-z]*/g)!, read))
}

/**
 * The most used word that is one edit away, or two words written as one, or, for a long word, the
 * most used one within two edits.
 * @param least How many sections a repaired word must be in.
 */
export async function repairWord(store: SearchStore, text: string, least = 0): Promise<Repair | undefined> {
  const word = foldWord(text)
  if (word.length < MIN_LENGTH || word.length > MAX_LENGTH || !/^[\p{L}\p{N}]+$/u.test(word)) return undefined
  if (/^\p{N}+$/u.test(word) || isCommon(word)) return undefined
  const one = await repairOne(store, word, least)
  if (one !== undefined || least > 0) return one
  return (await repairSpace(store, word)) ?? repairTwo(store, word)
}

async function repairOne(store: SearchStore, word: string, least: number): Promise<Repair | undefined> {
  const variants = groupBy(listVariants(word).filter(isLikely), ({ term }) => term)
  const known = (await store.findTerms([...variants.keys()])).filter(({ sections }) => sections >= least)
  const repairs = known.flatMap((row): (Repair & { readonly rating: number })[] => {
    // A variant that only has the stem of a word is none: `chang` of `change`.
    const words = row.words
      .split(' ')
      .filter((one) => variants.get(row.text)!.some((own) => own.word === one))
    // A doubled letter too many or too few is the most frequent mistake, then a missing letter.
    const doubled = words.find((one) => reduce(one) === reduce(word))
    const text = doubled ?? words.at(-1)
    const rating = (row.sections + 1) * (doubled === undefined ? 1 : 8)
    return text === undefined ? [] : [{ text, terms: [row], rating }]
  })
  return repairs.toSorted((a, b) => b.rating - a.rating || compare(a.text, b.text))[0]

  /** The first letter may be missing, extra or swapped, but it is hardly ever wrong. */
  function isLikely({ word: variant }: Variant): boolean {
    if (word.length === MIN_LENGTH && variant.length === MIN_LENGTH)
      return Array.from(word).toSorted().join('') === Array.from(variant).toSorted().join('')
    return word[0] === variant[0] || word.slice(1) !== variant.slice(1)
  }
}

function reduce(word: string): string {
  return word.replace(/(.)\1+/gu, '$1')
}

async function repairSpace(store: SearchStore, word: string): Promise<Repair | undefined> {
  const splits: (readonly [string, string])[] = []
  for (let at = MIN_PART; at + MIN_PART <= word.length; at++) splits.push([word.slice(0, at), word.slice(at)])
  const rows = await store.findTerms([...new Set(splits.flat().map(stemWord))])
  const found = new Map(rows.map((row) => [row.text, row]))
  let best: Repair | undefined
  let most = 0
  for (const parts of splits) {
    const terms = parts.flatMap((part) => found.get(stemWord(part)) ?? [])
    const least = Math.min(...terms.map(({ sections }) => sections))
    const isSplit = terms.every(({ words }, index) => words.split(' ').includes(parts[index]!))
    if (terms.length < 2 || least <= most || !isSplit) continue
    most = least
    best = { text: parts.join(' '), terms }
  }
  return best
}

async function repairTwo(store: SearchStore, word: string): Promise<Repair | undefined> {
  if (word.length < MIN_LENGTH_OF_TWO) return undefined
  const rows = await store.listTerms(word.slice(0, 2), MAX_COMPARED)
  const near = rows.flatMap((row): [Repair & { readonly sections: number }] | [] => {
    const text = row.words.split(' ').find((one) => countEdits(word, one, 2) <= 2)
    return text === undefined ? [] : [{ text, terms: [row], sections: row.sections }]
  })
  return near.toSorted((a, b) => b.sections - a.sections || compare(a.text, b.text))[0]
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Letters to insert or substitute in a word, by script. */
const ALPHABETS: readonly (readonly [RegExp, string])[] = [
  [/^[\p{sc=Latn}\p{N}]+$/v, 'abcdefghijklmnopqrstuvwxyz'],
  [/^[\p{sc=Cyrl}\p{N}]+$/v, 'абвгдеёжзийклмнопрстуфхцчшщъыьэюя'],
  [/^[\p{sc=Grek}\p{N}]+$/v, 'αβγδεζηθικλμνξοπρστυφχψω'],
]

interface Variant {
  readonly word: string
  /** The word's term. */
  readonly term: string
}

/**
 * Words one edit away (Damerau, "A technique for computer detection and correction of spelling
 * errors", 1964).
 * @param word Folded, at most 32 UTF-16 units.
 */
export function listVariants(word: string): Variant[] {
  const alphabet = ALPHABETS.find(([script]) => script.test(word))?.[1] ?? ''
  const variants = new Set<string>()
  for (let at = 0; at + 1 < word.length; at++)
    variants.add(word.slice(0, at) + word[at + 1] + word[at] + word.slice(at + 2))
  for (let at = 0; at <= word.length; at++) {
    const [before, after] = [word.slice(0, at), word.slice(at)]
    for (const letter of alphabet) variants.add(before + letter + after)
    if (after === '') continue
    variants.add(before + after.slice(1))
    for (const letter of alphabet) variants.add(before + letter + after.slice(1))
  }
  variants.delete(word)
  variants.delete('')
  return [...variants].map((variant) => ({ word: variant, term: stemWord(variant) }))
}
