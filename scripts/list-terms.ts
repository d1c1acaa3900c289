// Writes packages/codec/src/compress/terms/term-lists.ts: symbols and acronyms by their cost over eight tokenizer families.
import { readFileSync, writeFileSync } from 'node:fs'
import { FAMILIES, loadFamily, readConfusables } from '../bench/tokenizers/families.ts'
import { isKnownWord } from '../packages/codec/src/compress/terms/known-words.ts'
import { loadTokenizer } from '../packages/codec/src/tokens/index.ts'
import type { Tokenizer } from '../packages/codec/src/tokens/types.ts'
import {
  ALIKE_VOWELS,
  DIGIT_OR_UNIT,
  LIKE_ASCII,
  LOOK_ALIKES,
  RIGHT_TO_LEFT,
  UNLIKE_ASCII,
} from './look-alikes.ts'

const FILE = new URL('../packages/codec/src/compress/terms/term-lists.ts', import.meta.url)
const TABLE = /(?<=\/\/ Begin of the written tables\.\n).*(?=\/\/ End of the written tables\.)/s

/**
 * What an extra token counts in each family; 1 if absent. The two vocabularies with the fewest of these characters would
 * lose most.
 */
const WEIGHTS: ReadonlyMap<string, number> = new Map([
  ['cl100k_base', 3],
  ['Claude', 3],
])
const MAX_COST = 35

/** Kinds of symbols, the most readable first; other characters are no symbols. */
const KINDS: readonly RegExp[] = [
  /[!"$%&/;?@^{}~]/,
  /(?!\p{Emoji})[\u00a1-\uffff](?<=\p{S}|[§¶†‡※●■□◆◇])(?<![\uff00-\uffef´¨¯¸˚˜˝΄])/u,
  /(?!\p{Emoji})[\u00a1-\uffff](?<=[\p{P}\p{S}])/u,
  /\p{Script=Han}/u,
  /\p{Script=Hangul}/u,
  /[\p{Script=Hiragana}\p{Script=Katakana}]/u,
  /[\u00a1-\uffff](?<=[\p{P}\p{S}])/u,
]
const UNFIT = /[\p{M}\p{N}\p{C}\p{Z}\u2800\ufffc\ufffd\uff1d\uff3c\uff5c]/u
const LETTER_OR_DIGIT = /[\p{L}\p{N}\p{M}]/u

interface Term {
  readonly text: string
  readonly kind: number
  /** Extra tokens in all families, weighted: alone, and with a space before it. */
  readonly bare: number
  readonly spaced: number
}

const own = await Promise.all([loadTokenizer('o200k_base'), loadTokenizer('cl100k_base')])
const families = FAMILIES.map(loadFamily)
const symbols = listReadable(measure(listSymbols()))
const acronyms = measure(listAcronyms()).sort((a, b) => a.spaced - b.spaced || a.bare - b.bare)
writeTables()

function listSymbols(): string[] {
  const all = Array.from({ length: 0xffff - 0x20 }, (_, index) => String.fromCharCode(index + 0x21))
  return all.filter((text) => {
    if (UNFIT.test(text) || findKind(text) < 0 || !own.some((each) => each.isOneToken(text))) return false
    return text.normalize('NFKC') === text && !RIGHT_TO_LEFT.test(text)
  })
}

function findKind(text: string): number {
  return KINDS.findIndex((kind) => kind.test(text))
}

/** Lists the free acronyms that are one token behind a space. The few of four letters are fragments (`AGRE`, `BUIL`). */
function listAcronyms(): string[] {
  const capitals = Array.from('QXZJKVWYBCDFGHLMNPRSTAEIOU')
  const pairs = capitals.flatMap((one) => capitals.map((two) => one + two))
  const triples = pairs.flatMap((pair) => capitals.map((three) => pair + three))
  return [...pairs, ...triples].filter(
    (text) => !isKnownWord(text) && own.some((each) => each.isOneToken(` ${text}`)),
  )
}

function measure(texts: readonly string[]): Term[] {
  const sum = (text: string): number =>
    families.reduce(
      (all, { name, countTokens }) => all + (WEIGHTS.get(name) ?? 1) * (countTokens(text) - 1),
      0,
    )
  return texts.map((text) => ({ text, kind: findKind(text), bare: sum(text), spaced: sum(` ${text}`) }))
}

/** Sorts by cost, readability and tokens with other signs, and keeps of each family of look-alikes the first. */
function listReadable(terms: readonly Term[]): Term[] {
  const confusables = readConfusables()
  const skeletons = new Map(terms.map(({ text }) => [text, findSkeleton(text, confusables)]))
  const dropped = new Set(LIKE_ASCII)
  for (const [text, skeleton] of skeletons)
    if (text > '\x7f' && /^[ -~]+$/.test(skeleton) && !UNLIKE_ASCII.has(text)) dropped.add(text)
  const merges = countMerges(terms)
  const sorted = terms.toSorted(
    (a, b) =>
      a.bare - b.bare || a.spaced - b.spaced || a.kind - b.kind || merges.get(b.text)! - merges.get(a.text)!,
  )
  const groups = Map.groupBy(sorted, ({ text }) => skeletons.get(text)!)
  const twins = [...groups.values()].map((group) => group.map(({ text }) => text))
  const rows = LOOK_ALIKES.map((row) => sorted.map(({ text }) => text).filter((text) => row.includes(text)))
  for (const family of [...twins, ...rows])
    for (const text of family.filter((text) => !dropped.has(text)).slice(1)) dropped.add(text)
  return sorted.filter(({ text }) => !dropped.has(text))
}

/** The form in which look-alikes are equal (Unicode Technical Standard #39, section 4). */
function findSkeleton(text: string, confusables: ReadonlyMap<string, string>): string {
  const letters = Array.from(text.normalize('NFD'), (each) => ALIKE_VOWELS.get(each) ?? each)
  const replaced = letters.map((each) => confusables.get(each) ?? each)
  return replaced.join('').normalize('NFD')
}

/** Counts the tokens of o200k_base that join each symbol with other signs or line ends. */
function countMerges(terms: readonly Term[]): Map<string, number> {
  const counts = new Map(terms.map(({ text }) => [text, 0]))
  for (const token of listMerges(own[0].vocabulary(), counts))
    for (const text of new Set(token)) counts.set(text, (counts.get(text) ?? 0) + 1)
  return counts
}

/** Lists the tokens of signs and spaces that contain a symbol beyond ASCII, which the codec must count with it. */
function listMerges(
  vocabulary: Iterable<string>,
  known: { readonly has: (text: string) => boolean },
): string[] {
  return [...vocabulary].filter((token) => {
    if (token.length < 2 || token.length > 6 || token.includes('\ufffd')) return false
    return Array.from(token).some((text, at) => {
      const rest = token.slice(0, at) + token.slice(at + 1)
      return text > '\x7f' && known.has(text) && rest !== ' ' && !LETTER_OR_DIGIT.test(rest)
    })
  })
}

function findForms(tokenizer: Tokenizer, text: string): number {
  return Number(tokenizer.isOneToken(text)) + 2 * Number(tokenizer.isOneToken(` ${text}`))
}

function writeTables(): void {
  const digits = (terms: readonly Term[], form: 'bare' | 'spaced'): string =>
    terms.map((term) => Math.min(MAX_COST, term[form]).toString(36)).join('')
  const text = (terms: readonly Term[]): string => terms.map((term) => term.text).join('')
  const ofLength = (length: number): Term[] => acronyms.filter((term) => term.text.length === length)
  const listed = new Set(symbols.map((term) => term.text))
  const tables: [name: string, meaning: string, value: string][] = [
    ['SYMBOLS', 'Symbols, the cheapest first.', text(symbols)],
    ['BARE_COSTS', 'Extra tokens of each symbol in base 36.', digits(symbols, 'bare')],
    ['SPACED_COSTS', 'Extra tokens of each symbol behind a space in base 36.', digits(symbols, 'spaced')],
    ...own.map((each): [string, string, string] => [
      `FORMS_${each.name.toUpperCase()}`,
      `Which forms of each symbol are one token of ${each.name}: 1 alone, 2 behind a space, 3 both.`,
      symbols.map((term) => findForms(each, term.text)).join(''),
    ]),
    [
      'DIGITS_AND_UNITS',
      'Symbols that a reader joins with a digit next to them.',
      text(symbols.filter((term) => DIGIT_OR_UNIT.test(term.text))),
    ],
    ['PAIRS', 'Free acronyms of two capitals, the cheapest first.', text(ofLength(2))],
    ['TRIPLES', 'Free acronyms of three capitals, the cheapest first.', text(ofLength(3))],
    ...own.map((each): [string, string, string] => [
      `MERGES_${each.name.toUpperCase()}`,
      `Tokens of ${each.name} that contain a symbol beyond ASCII and other signs or spaces, each with \`a\` behind it.`,
      listMerges(each.vocabulary(), listed)
        .map((token) => `${token}a`)
        .join(''),
    ]),
  ]
  const total = FAMILIES.reduce((sum, name) => sum + (WEIGHTS.get(name) ?? 1), 0)
  const parts = [
    `/** What an extra token costs in all families, if it counts 1 in the costs below. */\nexport const TOTAL_WEIGHT = ${total}\n`,
    ...tables.map(
      ([name, meaning, value]) => `/** ${meaning} */\nexport const ${name}: string =\n${quote(value)}\n`,
    ),
  ]
  writeFileSync(
    FILE,
    readFileSync(FILE, 'utf8').replace(TABLE, () => `\n${parts.join('\n')}\n`),
  )
  process.stdout.write(`${tables.map(([name, , value]) => `${name} ${value.length}`).join('\n')}\n`)
}

function quote(value: string): string {
  const rows = value.match(/.{1,104}/gsu) ?? ['']
  return rows
    .map(
      (row) =>
        `  '${row.replace(/[\\'\n\r\t]|[\u0000-\u001f]/g, (each) => JSON.stringify(each).slice(1, -1).replace(/^'$/, "\\'"))}'`,
    )
    .join(' +\n')
}
