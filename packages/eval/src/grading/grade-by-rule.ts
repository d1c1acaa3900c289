import type { Question } from '../types.ts'
import { foldAnswer, isHarmless, isSameWords, splitWords } from './answer-words.ts'
import { compareQuantities, parseQuantity } from './compare-quantities.ts'

/** Characters of the longest answer that rules read. */
const MAX_ANSWER = 8192

/**
 * Grades an answer where a rule is certain to grade as a careful reader would: the expected answer
 * or an accepted form after folding, a number with a unit, an identifier, a list, a quote. The
 * answer is read as written: terms of a pack in it are not expanded.
 *
 * @returns undefined if a judge is needed
 * @example
 * gradeByRule({ ...question, answer: '75 s' }, '75 min') // 'wrong'
 * gradeByRule({ ...question, answer: '6 hours' }, '6 to 8 hours') // undefined
 */
export function gradeByRule(question: Question, answer: string): 'right' | 'wrong' | undefined {
  const trimmed = answer.trim()
  if (trimmed.length > MAX_ANSWER) return undefined
  const folded = foldAnswer(trimmed)
  if (folded === '') return 'wrong'
  const { kind, answer: expected, accept } = question
  const forms = [expected, ...accept]
  const isStrict = kind === 'identifier' || kind === 'quote' || readIdentifier(expected) !== undefined
  if (forms.some((form) => isSame(folded, foldAnswer(form), isStrict))) return 'right'
  if (REFUSAL.test(folded)) return forms.some((form) => ABSENCE.test(form)) ? undefined : 'wrong'
  if (kind === 'quote') return gradeQuote(question, folded)
  if (forms.some((form) => isSameList(trimmed, form, isStrict))) return 'right'
  if (kind !== 'identifier' && parseQuantity(expected) !== undefined) return gradeQuantity(question, trimmed)
  return gradeIdentifier(question, folded)
}

/** Answers that say that there is no answer. */
const REFUSAL =
  /^(?:sorry )?(?:n\/a|unknown|(?:it is |this is |that is )?not (?:stated|specified|given|mentioned|known|available|provided|found|documented)(?: (?:in|by) (?:the|this) (?:document|text|source|documents))?|(?:it )?cannot be determined|no (?:answer|information)|i (?:do not|don't|cannot|can't) (?:know|say|tell|answer)(?: (?:this|that|it))?|(?:the|this) (?:document|text|source) (?:does not|doesn't) (?:say|state|specify|mention)(?: (?:this|that|it|so))?)$/i
/** An expected answer that may be told in the words of a refusal. */
const ABSENCE = /\b(?:not?|none|nothing|never|n\/a|cannot|missing|absent|empty|zero|0)\b|n't|\bun/i

function isSame(given: string, expected: string, isStrict: boolean): boolean {
  if (given === expected) return true
  if (isStrict) return false
  // Both forms answer "Which …?" and "Under which condition …?".
  const [a, b] = [given, expected].map((text) => text.replace(/^(?:(?:if|when) )?(?:the )?/i, ''))
  return isSameWords(a!.split(' '), b!.split(' '))
}

/**
 * Whether two lists have the same items in the same order, however they are separated: by commas,
 * by semicolons, as lines with bullets, with or without `and` before the last. `or` remains.
 */
function isSameList(given: string, expected: string, isStrict: boolean): boolean {
  const [items, expectedItems] = [splitList(given), splitList(expected)]
  if (items.length < 2 || items.length !== expectedItems.length) return false
  return items.every((item, index) => {
    const other = expectedItems[index]!
    if (isSame(foldAnswer(item), foldAnswer(other), isStrict)) return true
    return compareQuantities(parseQuantity(item), parseQuantity(other), true) === 'same'
  })
}

function splitList(text: string): string[] {
  const line = text.replace(/^[-*•] /, '').replaceAll(/\n[-*•] /g, ', ')
  // Two kinds of separators make groups, which must not be mixed up.
  if (/;\s/.test(line) && /,\s/.test(line)) return []
  const items = line.split(/[,;]\s+/)
  const last = items.pop()!.replace(/^and /, '')
  const ends = last.split(/ and /)
  return ends.length === 2 || items.length === 0 ? [...items, ...ends] : [...items, last]
}

/**
 * Grades a quote. Right if all words of the sentence follow each other in the answer, with only
 * punctuation that differs, and around them only words such as `The sentence is:`. No letter may
 * differ, since 2 % of 100 characters turn `in` into `on`, 75 into 76 and `lawful` into `unlawful`.
 * Wrong if a third of the sentence differs from the most similar part of the answer, which is then
 * another sentence. One that was cut, or copied with errors, differs less and is left to the judge.
 */
function gradeQuote(question: Question, folded: string): 'right' | 'wrong' | undefined {
  const words = splitWords(folded)
  const forms = [question.answer, ...question.accept].map(foldAnswer)
  for (const form of forms) {
    const expected = splitWords(form)
    for (let at = 0; expected.length > 0 && at + expected.length <= words.length; at++) {
      const isFound = isSameWords(words.slice(at, at + expected.length), expected)
      if (isFound && isHarmless(words.toSpliced(at, expected.length), [question.question])) return 'right'
    }
  }
  const text = folded.toLowerCase()
  const isFar = forms.every((form) => measureDistance(form.toLowerCase(), text) > form.length / 3)
  return isFar ? 'wrong' : undefined
}

/** Edit distance between a pattern and the most similar part of a text (Sellers 1980). */
function measureDistance(pattern: string, text: string): number {
  let column = Uint16Array.from({ length: pattern.length + 1 }, (_, row) => row)
  let best = pattern.length
  for (let at = 0; at < text.length; at++) {
    const next = new Uint16Array(column.length)
    for (let row = 1; row < column.length; row++) {
      const replaced = column[row - 1]! + Number(pattern[row - 1] !== text[at])
      next[row] = Math.min(replaced, column[row]! + 1, next[row - 1]! + 1)
    }
    best = Math.min(best, next.at(-1)!)
    column = next
  }
  return best
}

/**
 * Right with the number and unit of the expected answer or an accepted form. Wrong with another
 * number in the unit of one of them, unless it may be the same number rounded or written otherwise.
 */
function gradeQuantity(question: Question, answer: string): 'right' | 'wrong' | undefined {
  const given = parseQuantity(answer)
  const isVersion = question.kind === 'fact' || question.kind === 'condition'
  const found = [question.answer, ...question.accept].map((form) =>
    compareQuantities(given, parseQuantity(form), isVersion),
  )
  if (found.includes('same')) return 'right'
  return found.includes('different') && !found.includes('unclear') ? 'wrong' : undefined
}

/**
 * Grades where the expected answer is one identifier. Right if the answer has it as a whole word,
 * no other identifier but those of the question, and around it only words of the question and its
 * evidence. Wrong if the answer is one other identifier of that form.
 */
function gradeIdentifier(question: Question, folded: string): 'right' | 'wrong' | undefined {
  const { question: text, answer, accept, evidence } = question
  const expected = readIdentifier(answer)
  if (expected === undefined || (question.kind !== 'identifier' && !/^(?=.*\d).*\p{L}/u.test(expected)))
    return undefined
  const words = splitWords(folded)
  if (words.length === 1 && words[0] !== expected) {
    const known = accept.flatMap((form) => splitWords(foldAnswer(form)))
    return isOther(words[0]!, [expected, ...known]) ? 'wrong' : undefined
  }
  const others = words.filter((word) => word !== expected)
  const named = new Set(splitWords(foldAnswer(text)))
  if (others.length === words.length || words.length > 40) return undefined
  const isAlone = others.every(
    (word) => !IDENTIFIER.test(word) || (named.has(word) && readShape(word) !== readShape(expected)),
  )
  return isAlone && isHarmless(others, [text, answer, ...accept, ...evidence]) ? 'right' : undefined
}

/** A word with a digit, or of several parts: `TW-4092`, `hard_throttle`, `reserveCompat`. */
const IDENTIFIER = /\d|[a-z][A-Z]|[\p{L}\p{N}][-_./:#@][\p{L}\p{N}]|^_/u

function readIdentifier(text: string): string | undefined {
  const words = splitWords(foldAnswer(text))
  return words.length === 1 && IDENTIFIER.test(words[0]!) ? words[0] : undefined
}

/** The form of an identifier: `TW-4092` → `A-0`, and with all digits where it has no letters. */
function readShape(word: string): string {
  return word.replaceAll(/[A-Za-z]+/g, 'A').replaceAll(/[A-Za-z]/.test(word) ? /\d+/g : /\d/g, '0')
}

/**
 * Whether a word is an identifier of the expected form that cannot be meant for it: not if only
 * case, separators or leading zeros differ, nor if it has the same numbers in another order, as in
 * dates. Times have a colon, and can be told with 12 or 24 hours.
 */
function isOther(word: string, forms: readonly string[]): boolean {
  const sortParts = (text: string): string =>
    (text.toLowerCase().match(/[a-z]+|[1-9]\d*/g) ?? []).toSorted().join(' ')
  const join = (text: string): string => text.toLowerCase().replaceAll(/[^a-z\d]/g, '')
  return (
    /^[!-9;-~]+$/.test(word) &&
    readShape(word) === readShape(forms[0]!) &&
    forms.every((form) => sortParts(form) !== sortParts(word) && join(form) !== join(word))
  )
}
