import { listTerms, parseRosetta } from '@packs/codec'
import type { Question } from '../types.ts'

/**
 * Folds what does not change an answer: paired quotes and asterisks, backquotes, forms of dashes
 * and apostrophes, white space, and `. , :` at the end of a word. Case, semicolons, underscores,
 * superscripts and the signs for feet and inches remain, because they can make another answer.
 *
 * @example foldAnswer('**“75  s.”**') // '75 s'
 */
export function foldAnswer(text: string): string {
  return text
    .normalize('NFC')
    .replaceAll(/[\u00AD\u200B-\u200D\u2060\uFEFF`]/g, '')
    .replaceAll(/[‘’ʼ]/g, "'")
    .replaceAll(/[“”„«»]/g, '"')
    .replaceAll(/[\u2010-\u2015\u2212]/g, '-')
    .replaceAll(/(?<![\p{L}\p{N}*])\*{1,3}([^*\s](?:[^*]*[^*\s])?)\*{1,3}(?![\p{L}\p{N}*])/gu, '$1')
    .replaceAll(/(?<![\p{L}\p{N}])"([^"]+)"/gu, '$1')
    .replaceAll(/(?<![\p{L}\p{N}])'([^']+)'(?![\p{L}\p{N}])/gu, '$1')
    .replaceAll(/(?<![.,:])[.,:]+(?=\s|;|$)|[.,;:]$/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/** The words of a folded text without brackets and punctuation around them. */
export function splitWords(folded: string): string[] {
  return folded.split(' ').flatMap((word) => word.replace(/^[([{]+/, '').match(/^.*[^)\]}({[.,;:!]/u) ?? [])
}

/** Words whose first letter may be a capital. Others of one or two letters can be units: `Mg`. */
const CAPITALIZED = /^(?:\p{L}[\p{Ll}'-]{2,}|[Aa][nst]?|[BbWw][ey]|[Ii][fnst]|[Nn]o|[Oo][fnr]|[Tt]o)$/u

/**
 * Whether words are the same but for a capital at the beginning of some of them. The word after a
 * number may be a unit, so its case counts.
 */
export function isSameWords(given: readonly string[], expected: readonly string[]): boolean {
  const isSame = (word: string, index: number): boolean =>
    word === expected[index] ||
    (word.toLowerCase() === expected[index]!.toLowerCase() &&
      word.slice(1) === expected[index]!.slice(1) &&
      CAPITALIZED.test(word) &&
      !/\d$/.test(given[index - 1] ?? ''))
  return given.length === expected.length && given.every(isSame)
}

/** Words that can turn an answer into its opposite, limit it, or offer another one. */
const DOUBTFUL =
  /n't$|^(?:un.*|non.*|no|not|never|neither|nor|cannot|without|except|instead|or|and|but|either|maybe|perhaps|possibly|probably|wrong|false|other|rather|formerly|previously|than|versus|vs|before|after|above|below|more|less)$/
const NEUTRAL =
  /^(?:the|an?|is|its?|this|that|answer|sentence|quoted?|reads|says|document|text|here|of|in|on|to|code|form|number)$/

/**
 * Whether words around an answer leave it as it is: common ones, or those of `texts`, the question
 * and its evidence, and none that negates, limits or offers another answer.
 */
export function isHarmless(words: readonly string[], texts: readonly string[]): boolean {
  const known = new Set(texts.flatMap((text) => splitWords(foldAnswer(text).toLowerCase())))
  return words
    .map((word) => word.toLowerCase())
    .every((word) => !DOUBTFUL.test(word) && (NEUTRAL.test(word) || known.has(word)))
}

/**
 * Counts the uses of a header's terms in an answer: those that are certain by themselves
 * (`listTerms` of `@packs/codec`), and its acronyms of two or more ASCII letters as whole words,
 * but for those that the question or the expected answer has.
 *
 * @throws CodecError for an invalid header
 * @example countTerms('Ask the 水 for ML', '[DECODE] 水=administrator|ML=machine learning', question) // 2
 */
export function countTerms(
  answer: string,
  rosetta: string,
  { question, answer: expected, accept }: Pick<Question, 'question' | 'answer' | 'accept'>,
): number {
  const header = parseRosetta(rosetta)
  const listWords = (text: string): string[] => text.match(/[\p{L}\p{M}\p{N}_]+/gu) ?? []
  const terms = header.entries.map(({ term }) => term)
  const acronyms = new Set(terms.filter((term) => /^[A-Za-z]{2,}$/.test(term)))
  for (const word of [question, expected, ...accept].flatMap(listWords)) acronyms.delete(word)
  return listTerms(answer, header).length + listWords(answer).filter((word) => acronyms.has(word)).length
}
