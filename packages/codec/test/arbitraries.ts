import fc from 'fast-check'
import type { RosettaEntry } from '../src/index.ts'

// Letters, digits, symbols, marks, scripts without spaces, surrogate pairs and halves: all classes of the decode rule.
const POINTS = [
  'M L T x _ 7 § + ¶ | = \\ [ .'.split(' '),
  [' ', '\n', '\r', '\t'],
  ['\u0301', '\u0303', '\ufe0f', '\u200d', '\ufeff', '\u{1d165}', '\u0e31'],
  ['漢', 'か', 'カ', 'ー', '한', 'ก', 'д', 'ß', '٣'],
  ['\u{1f600}', '\u{1d400}', '\u{10400}', '\u{20000}'],
].flat()
const HALVES = ['\ud835', '\udc00', '\ud83d', '\ude00']

/** Content from few code points, so that terms occur in it; includes halves of surrogate pairs. */
export const contents: fc.Arbitrary<string> = fc
  .array(fc.constantFrom(...POINTS, ...HALVES, 'ML', 'ML', '§', 'C++'), { maxLength: 40 })
  .map((points) => points.join(''))

const LETTERS_OF_ANSWERS = '漢 水 ー か ก ก็ 〇 ʼ x ML 𐐀 € → 5'
  .split(' ')
  .concat('漢 ', ' 水', '한.', '\u{20000},')
// prettier-ignore
const OTHERS_IN_ANSWERS = [
  ' ', '\n', '\u0301', '\ufe0f', '\ufeff', '\u200d', '\u0378', '\ud840', '\udc00', '\ud801',
]

/** What models write, from few code points: words, prices, terms of one letter beside letters, marks, numbers and halves of pairs. */
export const answers: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom('', 'a', 'The ', 'б, ', '𐐀', '水', '1 '),
    fc.array(fc.constantFrom(...LETTERS_OF_ANSWERS, ...OTHERS_IN_ANSWERS), { maxLength: 24 }),
  )
  .map(([begin, points]) => begin + points.join(''))

/** Headers with terms of one letter outside W, and others, whose expansions use each other's terms. */
export const answerHeaders: fc.Arbitrary<RosettaEntry[]> = fc
  .uniqueArray(
    fc.tuple(
      fc.constantFrom('漢', '水', '한', 'ก', 'か', 'ー', '\u{20000}', 'ʼ', '〇', 'ML', '€', '→', '水漢', 'x'),
      fc.constantFrom('word', ' two words ', '\n', ' 水 ', 'the ML of 한', '€', '\ufeffend\u3000', 'ก็'),
    ),
    { maxLength: 10, selector: ([term]) => term },
  )
  .map((pairs) => pairs.map(([term, expansion]) => ({ term, expansion })))

export const terms: fc.Arbitrary<string> = fc
  .array(fc.constantFrom(...POINTS.filter((point) => /^[^\s\p{Cc}]$/u.test(point))), {
    minLength: 1,
    maxLength: 4,
  })
  .map((points) => points.join(''))
  .filter((term) => !/^\p{M}/u.test(term))

/** Headers whose expansions use each other's terms. */
export const headers: fc.Arbitrary<RosettaEntry[]> = fc
  .uniqueArray(fc.tuple(fc.oneof(terms, fc.constantFrom('ML', '§', 'C', 'C++', 'MLT')), contents), {
    maxLength: 8,
    selector: ([term]) => term,
  })
  .map((pairs) => pairs.map(([term, expansion]) => ({ term, expansion: expansion || ' ' })))

/** A text and the offsets of its cuts, also inside surrogate pairs. */
export function cut(text: string, places: readonly number[]): string[] {
  const ends = [...new Set(places.map((place) => place % (text.length + 1)))].toSorted((a, b) => a - b)
  return [0, ...ends].map((start, index) => text.slice(start, ends[index] ?? text.length))
}
