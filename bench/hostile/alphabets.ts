import type { Random } from '../random.ts'

/** Makes the letters of a text; some alphabets are finite and return fewer than `count`. */
type Alphabet = (count: number, random: Random) => string[]

const VOWELS = 'aeiou'
const CONSONANTS = 'bcdfghklmnprstvwz'

/** What texts are made of, by name. A letter of an alphabet may be several characters. */
export const ALPHABETS = {
  han: takeRange(0x4e00, 0x9fa0),
  'common han': takeCharacters(
    '的一是不了人我在有他这为之大来以个中上们到说国和地也子时道出而要于就下得可你年生自会那后能对着',
  ),
  thai: takeRange(0x0e01, 0x0e2f),
  'thai with marks': takeCharacters('กิขีคุงู่จ้ฉ็ชัซำฌเญแฎไฏใฐาฑ'),
  kana: takeRange(0x3041, 0x3094),
  hangul: takeRange(0xac00, 0xd7a4),
  'latin letters': takeCharacters('etaoinshrdlucmfwypvbgkjqxz'),
  'latin capitals': takeCharacters('ETAOINSHRDLUCMFWYPVBGKJQXZ'),
  cyrillic: takeRange(0x0430, 0x0450),
  words: makeWords(''),
  'words with spaces': makeWords(' '),
  'capitalised words': (count, random) =>
    makeWords('')(count, random).map((word) => word[0]!.toUpperCase() + word.slice(1)),
  digits: takeCharacters('0123456789'),
  'digits and joints': takeCharacters('0123456789.,:-/'),
  punctuation: takeCharacters('.,;:!?-_/*#~+=%&@$^'),
  'a!b?c.': takeCharacters('a!b?c.'),
  brackets: takeCharacters('()[]{}<>"`*'),
  'open brackets': takeCharacters('([{<"`*x'),
  escapes: takeCharacters('\\|=\t'),
  backticks: takeCharacters('`'),
  spaces: takeCharacters(' \t\u00a0\u3000'),
  'han punctuation': takeCharacters('，。、；：？！「」（）《》'),
  emoji: takeRange(0x1f300, 0x1f5ff),
  'joined emoji': (count, random) =>
    Array.from({ length: count }, () => `${pickEmoji(random)}\u200d${pickEmoji(random)}`),
  marks: (count, random) =>
    Array.from(
      { length: count },
      () => random.pick('aeiou'.split('')) + String.fromCharCode(0x300 + random.below(0x60)),
    ),
  'marks alone': takeRange(0x0300, 0x0360),
  unassigned: takeRange(0x0378, 0x037a),
  'rare planes': takeRange(0x20000, 0x2a6d0),
  'markdown inline': () => [
    '[',
    '](',
    ')',
    '*',
    '**',
    '_',
    '`',
    '``',
    '<',
    '>',
    '<a ',
    '"',
    '!',
    '\\',
    '~~',
    'http://',
    '&amp;',
    'x',
    ' ',
  ],
  'markdown lines': () => [
    '# ',
    '\n',
    '- ',
    '> ',
    '1. ',
    '```',
    '~~~',
    '| ',
    '---',
    '===',
    '[a]: b',
    '<div>',
    '<!--',
    '-->',
    '    ',
    '\t',
    ':-',
    '[^1]:',
    '- [ ] ',
    'x',
    '\n\n',
    '<pre>',
    '<?',
    '"',
  ],
  'line ends': () => ['\r\n', '\r', '\n', 'x'],
  mixture: (count, random) =>
    Array.from(
      { length: count },
      () =>
        random.pick([
          takeRange(0x4e00, 0x9fa0),
          takeRange(0x0e01, 0x0e2f),
          makeWords(' '),
          takeCharacters('.,!?|\\*`[('),
          takeRange(0x1f300, 0x1f5ff),
        ])(1, random)[0]!,
    ),
} as const satisfies Record<string, Alphabet>

export type AlphabetName = keyof typeof ALPHABETS

function takeRange(from: number, to: number): Alphabet {
  return (count, random) => {
    const size = Math.min(count, to - from)
    const first = random.below(to - from)
    // A step without a common divisor with the range visits every code point once.
    return Array.from({ length: size }, (_, at) =>
      String.fromCodePoint(from + ((first + at * 7919) % (to - from))),
    )
  }
}

function takeCharacters(characters: string): Alphabet {
  return (count, random) => {
    const rest = Array.from(characters)
    const taken: string[] = []
    while (taken.length < count && rest.length > 0) taken.push(...rest.splice(random.below(rest.length), 1))
    return taken
  }
}

function makeWords(end: string): Alphabet {
  return (count, random) =>
    Array.from({ length: count }, () => {
      let word = ''
      for (let left = 1 + random.below(4); left > 0; left--)
        word += CONSONANTS[random.below(CONSONANTS.length)]! + VOWELS[random.below(VOWELS.length)]!
      return word + end
    })
}

function pickEmoji(random: Random): string {
  return String.fromCodePoint(0x1f400 + random.below(0x100))
}
