import fc from 'fast-check'
import { readCorpus } from './corpus.ts'

// prettier-ignore
const fragments = [
  'the', 'The', 'THE', 'tHe', 'HTMLElement', "don't", "DON'T", "'s", "'S", "'ll", "'Ve", "'RE", "'ſ", "I'ſt",
  "'\u212a", "'", '’s', 'ǅ', 'ʰ', 'ªº', '0', '12', '1234567', '٣٤', '½', 'Ⅷ', '²', '𝟙', ' ', '  ', '   ',
  '\t', '\n', '\r\n', '\r', '\n\n', '\v', '\f', '\u00a0', '\u2028', '\u3000', '\u0085', '\u1680', '\u180e',
  '\u2029', '\u202f', '\u001c', '\ufeff', '\u200b', '\u200d', '\u0000', '\u0007', '\u007f', '.', '...', '!',
  '/', '//', '[DECODE]', '|', '=', '\\', '```', '<|endoftext|>', '<|im_start|>', '<|fim_prefix|>', '\u0301',
  'e\u0301', '\u0301\u0302\u0303', '\u093e', '\u20e3', 'नमस्ते', 'สวัสดี', '中文', '日本語', 'カタカナー', '한국어',
  'مرحبا', 'שלום', 'Привет', 'ПРИВЕТ', 'Ελληνικά', 'straße', 'İ', 'ﬁ', '🙂', '👩‍👩‍👧', '🇩🇪', '1️⃣', '👍🏽', '𐐀',
  '𐐨', '𠮷', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', 'ꙮ', '\ue000', '\ufffd', '\u{10ffff}', '—', '…', '“', '§', '€', '_', '__init__',
  'a_b', 'https://example.org/a?b=c',
]

/** Strings of characters that all versions of Unicode in use give one class, from all classes of the pre-token patterns. */
export const settledText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(...fragments) },
      { weight: 1, arbitrary: fc.string({ unit: 'grapheme-ascii', maxLength: 12 }) },
    ),
    { maxLength: 24 },
  )
  .map((parts) => parts.join(''))

/** Well-formed strings, concatenated at random from all classes of the pre-token patterns. */
export const nastyText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(...fragments) },
      { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 6 }) },
      { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 6 }) },
      { weight: 1, arbitrary: fc.string({ unit: 'grapheme-ascii', maxLength: 12 }) },
    ),
    { maxLength: 24 },
  )
  .map((parts) => parts.join(''))

const CLASSES = [
  /\p{Lu}/u,
  /\p{Ll}/u,
  /\p{Lt}/u,
  /\p{Lm}/u,
  /\p{Lo}/u,
  /\p{M}/u,
  /\p{Nd}/u,
  /[\p{Nl}\p{No}]/u,
  /[\s\x85\u180e\u200b-\u200d\u2060\ufeff\x1c-\x1f]/u,
  /[\p{P}\p{S}]/u,
  /\p{Cf}/u,
  /\p{Cn}/u,
]
const alphabets: readonly string[][] = CLASSES.map(() => [])
for (let point = 0; point < 0x20000; point++) {
  if (point >= 0xd800 && point < 0xe000) continue
  const character = String.fromCodePoint(point)
  const index = CLASSES.findIndex((pattern) => pattern.test(character))
  alphabets[index]?.push(character)
}
const documents = readCorpus()

const characters = fc.oneof(
  ...alphabets.map((alphabet) => fc.constantFrom(...alphabet)),
  fc.constantFrom(...Array.from('sSdDmMtTlLvVeErR\u017f\u212a')),
  fc.constantFrom(
    "'",
    "'s",
    "'\u017f",
    "'LL",
    "'vE",
    '\u2019',
    '\r',
    '\n',
    '\r\n',
    ' ',
    '/',
    '\ud800',
    '\udc00',
    '\0',
  ),
  fc.integer({ min: 0, max: 0x10ffff }).map((point) => String.fromCodePoint(point)),
)
const runs = fc.tuple(characters, fc.integer({ min: 2, max: 300 })).map(([unit, count]) => unit.repeat(count))
const excerpts = fc
  .tuple(fc.nat(), fc.nat(), fc.integer({ min: 1, max: 60 }), fc.nat(), characters)
  .map(([document, start, length, place, edit]) => {
    const text = documents[document % documents.length]!
    const from = start % text.length
    const excerpt = text.slice(from, from + length)
    const at = place % (excerpt.length + 1)
    return excerpt.slice(0, at) + edit + excerpt.slice(at + (place % 3))
  })

/** Strings of characters of all classes, of long runs, and of excerpts of documents with an edit; with lone surrogates. */
export const anyText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      { weight: 12, arbitrary: characters },
      { weight: 1, arbitrary: runs },
      { weight: 3, arbitrary: excerpts },
      { weight: 4, arbitrary: fc.constantFrom(...fragments) },
    ),
    { maxLength: 24 },
  )
  .map((parts) => parts.join(''))
