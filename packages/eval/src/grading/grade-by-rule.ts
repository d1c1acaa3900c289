import type { Question } from '../types.ts'
import { listTerms, parseRosetta } from '@packs/codec'

const MAX_ANSWER = 8192

/**
 * Grades an answer where a rule is certain to grade as a careful reader would: the expected answer
 * or an accepted form after folding, a number with a unit, an identifier, a list, a quote. The
 * answer is read as written: terms of a pack in it are not expanded.
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

/** Separators: commas, semicolons and bullets, and with `and` before the last. `or` remains. */
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

interface Quantity {
  readonly value: number
  /** The number as written, without separators of groups. */
  readonly digits: string
  /** What is measured, such as `s` for all times up to hours; empty without a unit. */
  readonly dimension: string
  /** Of the unit, in that of the dimension. */
  readonly factor: number
}

/**
 * Reads a text that is only a number with a unit, and not `12.500`, which can be 12,500.
 * @example parseQuantity('€1,190') // { value: 1190, digits: '1190', dimension: '€', factor: 1 }
 */
function parseQuantity(text: string): Quantity | undefined {
  if (text.length > 200 || /\d[.,:;]\s+\d/.test(text)) return undefined
  const folded = foldAnswer(text).replace(/\((\p{L}+)\)$/u, '$1')
  const spelled = folded.replace(/^[A-Za-z]+(?![-\w])/, (word) => {
    const number = NUMBER_WORDS.split(' ').indexOf(word.toLowerCase())
    return number < 0 ? word : String(number > 20 ? (number - 18) * 10 : number)
  })
  const match = QUANTITY.exec(spelled)
  if (match === null) return undefined
  const [, sign, currency, innerSign, literal, power = '', unit] = match
  const isDecimal = /^\d+[.,]\d+$/.test(literal!) && !/^[1-9]\d{0,2}[.,]\d{3}$/.test(literal!)
  const isGrouped = /^[1-9]\d{0,2}(?:([ ,'_])\d{3})(?:\1\d{3})*(?:\.\d+)?$/.test(literal!)
  if (!isDecimal && !isGrouped && !/^\d+$/.test(literal!)) return undefined
  const digits = isDecimal ? literal!.replace(',', '.') : literal!.replaceAll(/[ ,'_]/g, '')
  const scale = (sign === '-' || innerSign === '-' ? -1 : 1) * (POWERS[power] ?? 1)
  return { value: Number(digits) * scale, digits, ...readUnit(`${currency}${unit}`.trim()) }
}

/**
 * Compares two quantities. Units of one dimension are converted, so `90 min` is `1.5 h`. It is
 * unclear where one number may be the other rounded, or with a comma that is read otherwise.
 * @param isVersion whether a number without unit may be a name, so that `4.2` is not `4.20`
 */
function compareQuantities(
  given: Quantity | undefined,
  expected: Quantity | undefined,
  isVersion: boolean,
): 'same' | 'different' | 'unclear' | 'incomparable' {
  if (given === undefined || expected === undefined) return 'unclear'
  const [a, b] = [given.value * given.factor, expected.value * expected.factor]
  const isBare = given.dimension === '' || expected.dimension === ''
  if (given.dimension !== expected.dimension)
    return isBare && isNear(given.value, expected.value, 0.05) ? 'unclear' : 'incomparable'
  if (isNear(a, b, 1e-12)) return isVersion && isBare && given.digits !== expected.digits ? 'unclear' : 'same'
  const isConverted = given.factor !== expected.factor
  if (!isConverted && (1000 * a === b || a === 1000 * b)) return 'unclear'
  const [decimals, expectedDecimals] = [given, expected].map(
    ({ digits }) => digits.split('.')[1]?.length ?? 0,
  )
  return (isConverted || decimals! < expectedDecimals!) && isNear(a, b, 0.05) ? 'unclear' : 'different'
}

function isNear(a: number, b: number, share: number): boolean {
  return Math.abs(a - b) <= share * Math.max(Math.abs(a), Math.abs(b))
}

const QUANTITY =
  /^([-+]?)(\p{Sc}?) ?([-+]?)(\d+(?:[., '_]\d+)*)(?: (thousand|million|billion)\b)? ?([\p{L}\p{Sc}%°²³·/ ]{0,40})$/u
const POWERS: Readonly<Record<string, number>> = { thousand: 1e3, million: 1e6, billion: 1e9 }
const NUMBER_WORDS =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety'

type Unit = Pick<Quantity, 'dimension' | 'factor'>

/** Dimension, factor and names of units; names of four letters or more have a plural, too. */
const UNITS: ReadonlyMap<string, Unit> = new Map(
  `s 0.001 ms msec millisecond|s 1 s sec secs second|s 60 min mins minute|s 3600 h hr hrs hour|day 1 d day days
m 0.001 mm millimetre millimeter|m 0.01 cm centimetre centimeter|m 1 m metre meter|m 1000 km kilometre kilometer
g 0.001 mg milligram|g 1 g gram|g 1000 kg kilogram|l 0.001 ml mL millilitre milliliter|l 1 l L litre liter
% 1 % percent|€ 1 € EUR euro|$ 1 $ dollar|£ 1 £ GBP|¥ 1 ¥ JPY yen|°C 1 °C celsius|Nm 1 Nm newton-metre newton-meter
A 0.001 mA|A 1 A amp amps ampere|V 1 V volt|V 1000 kV|W 1 W watt|W 1000 kW kilowatt|Hz 1 Hz hertz|Hz 1e3 kHz|Hz 1e6 MHz
B 1 byte|B 1024 KiB|B 1048576 MiB|B 1073741824 GiB|kB 1 kB kilobyte|MB 1 MB megabyte|GB 1 GB gigabyte`
    .split(/[|\n]/)
    .map((line) => line.split(' '))
    .flatMap(([dimension, factor, ...names]) =>
      names.map((name) => [name, { dimension: dimension!, factor: Number(factor) }] as const),
    ),
)

/** Reads words in any case and number, but abbreviations as written, since `mW` is not `MW`. */
function readUnit(text: string): Unit {
  const plain = text.replace(/^per cent\b/, 'percent').replace(/^newton (?=met)/, 'newton-')
  const [unit, ...others] = plain.split(/ ?\/ ?| per /).map((name) => {
    const word = name.length > 3 ? name.toLowerCase().replace(/(?<=[^s])s$/, '') : name
    return UNITS.get(name) ?? UNITS.get(word) ?? { dimension: word, factor: 1 }
  })
  return {
    dimension: [unit!, ...others].map(({ dimension }) => dimension).join('/'),
    factor: others.reduce((factor, other) => factor / other.factor, unit!.factor),
  }
}

/**
 * Folds what does not change an answer: paired quotes and asterisks, backquotes, forms of dashes
 * and apostrophes, white space, and `. , :` at the end of a word. Case, semicolons, underscores,
 * superscripts and the signs for feet and inches remain, because they can make another answer.
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
function splitWords(folded: string): string[] {
  return folded.split(' ').flatMap((word) => word.replace(/^[([{]+/, '').match(/^.*[^)\]}({[.,;:!]/u) ?? [])
}

/** Words whose first letter may be a capital. Others of one or two letters can be units: `Mg`. */
const CAPITALIZED = /^(?:\p{L}[\p{Ll}'-]{2,}|[Aa][nst]?|[BbWw][ey]|[Ii][fnst]|[Nn]o|[Oo][fnr]|[Tt]o)$/u

/**
 * Whether words are the same but for a capital at the beginning of some of them. The word after a
 * number may be a unit, so its case counts.
 */
function isSameWords(given: readonly string[], expected: readonly string[]): boolean {
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
function isHarmless(words: readonly string[], texts: readonly string[]): boolean {
  const known = new Set(texts.flatMap((text) => splitWords(foldAnswer(text).toLowerCase())))
  return words
    .map((word) => word.toLowerCase())
    .every((word) => !DOUBTFUL.test(word) && (NEUTRAL.test(word) || known.has(word)))
}

/**
 * Counts the uses of a header's terms in an answer: those that are certain by themselves
 * (`listTerms` of `@packs/codec`), and its acronyms of two or more ASCII letters as whole words,
 * but for those that the question or the expected answer has.
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
