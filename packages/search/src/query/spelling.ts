import { stemWord } from '../analysis/terms.ts'

/** Letters that may be missing or wrong in a word, by script. */
const ALPHABETS: readonly (readonly [RegExp, string])[] = [
  [/^[\p{sc=Latn}\p{N}]+$/v, 'abcdefghijklmnopqrstuvwxyz'],
  [/^[\p{sc=Cyrl}\p{N}]+$/v, 'абвгдеёжзийклмнопрстуфхцчшщъыьэюя'],
  [/^[\p{sc=Grek}\p{N}]+$/v, 'αβγδεζηθικλμνξοπρστυφχψω'],
]

/** A word that differs in one edit. */
export interface Variant {
  readonly word: string
  /** The word's term. */
  readonly term: string
}

/**
 * Lists the words that differ from a word in one edit: a letter missing, added or wrong, or two neighbours exchanged (Damerau,
 * "A technique for computer detection and correction of spelling errors", 1964).
 *
 * @param word folded, at most 32 UTF-16 units
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

/** Returns the number of edits between two words, or `limit + 1` if there are more (optimal string alignment). */
export function countEdits(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const isEqual = a[row - 1] === b[column - 1]
      let edits = Math.min(last[column]! + 1, current[column - 1]! + 1, last[column - 1]! + (isEqual ? 0 : 1))
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1])
        edits = Math.min(edits, beforeLast[column - 2]! + 1)
      current.push(edits)
    }
    if (Math.min(...current) > limit) return limit + 1
    beforeLast = last
    last = current
  }
  return last[b.length]!
}
