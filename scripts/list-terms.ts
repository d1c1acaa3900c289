// Writes packages/codec/src/compress/terms/letter-table.ts: letters by their cost over eight tokenizer families.
import { readFileSync, writeFileSync } from 'node:fs'
import { FAMILIES, loadFamily, readConfusables } from './tokenizers/families.ts'
import { loadTokenizer } from '../packages/codec/src/tokens/load-tokenizer.ts'
import type { Tokenizer } from '../packages/codec/src/tokens/get-tokenizer.ts'
import { foldLetter, FORMS_OF_ONE, LOOK_ALIKES, WORDS_BY_THEMSELVES } from './look-alikes.ts'

const FILE = new URL('../packages/codec/src/compress/terms/letter-table.ts', import.meta.url)
const TABLE = /(?<=\/\/ Start of the generated tables\.\n).*(?=\/\/ End of the generated tables\.)/s

/**
 * What an extra token counts in each family; 1 if absent. The two vocabularies with the fewest of these characters would
 * lose most.
 */
const WEIGHTS: ReadonlyMap<string, number> = new Map([
  ['cl100k_base', 3],
  ['Claude', 3],
])
const MAX_COST = 35

/** Scripts of letters outside of W (SPEC.md section 4.1), the most compact letters first. */
const KINDS: readonly RegExp[] = [
  /[\u0e00-\uffff](?<=\p{Script=Han})/u,
  /\p{Script=Hangul}/u,
  /[\p{Script=Hiragana}\p{Script=Katakana}]/u,
  /\p{Script=Thai}/u,
]
const LETTER = /\p{L}/u

interface Term {
  readonly text: string
  readonly kind: number
  /** Extra tokens in all families, weighted: alone, and with a space before it. */
  readonly bare: number
  readonly spaced: number
}

const own = await Promise.all([loadTokenizer('o200k_base'), loadTokenizer('cl100k_base')])
const families = FAMILIES.map(loadFamily)
const letters = listReadable(measure(listLetters()))
writeTables()

function listLetters(): string[] {
  const all = Array.from({ length: 0xffff - 0x20 }, (_, index) => String.fromCharCode(index + 0x21))
  return all.filter((text) => {
    if (!LETTER.test(text) || findKind(text) < 0 || !own.some((each) => each.countTokens(text) === 1))
      return false
    return text.normalize('NFKC') === text && !WORDS_BY_THEMSELVES.has(text)
  })
}

function findKind(text: string): number {
  return KINDS.findIndex((kind) => kind.test(text))
}

function measure(texts: readonly string[]): Term[] {
  const sum = (text: string): number =>
    families.reduce(
      (all, { name, countTokens }) => all + (WEIGHTS.get(name) ?? 1) * (countTokens(text) - 1),
      0,
    )
  return texts.map((text) => ({ text, kind: findKind(text), bare: sum(text), spaced: sum(` ${text}`) }))
}

/** Sorts by cost and script, and keeps of each family of look-alikes the first. */
function listReadable(terms: readonly Term[]): Term[] {
  const confusables = readConfusables()
  const skeletons = new Map(terms.map(({ text }) => [text, findSkeleton(text, confusables)]))
  const dropped = new Set<string>()
  for (const [text, skeleton] of skeletons) if (/^[ -~]+$/.test(skeleton)) dropped.add(text)
  const sorted = terms.toSorted((a, b) => a.bare - b.bare || a.spaced - b.spaced || a.kind - b.kind)
  const groups = Map.groupBy(sorted, ({ text }) => skeletons.get(text)!)
  const twins = [...groups.values()].map((group) => group.map(({ text }) => text))
  const rows = [...FORMS_OF_ONE, ...LOOK_ALIKES].map((row) =>
    sorted.map(({ text }) => text).filter((text) => row.includes(text)),
  )
  for (const family of [...twins, ...rows])
    for (const text of family.filter((text) => !dropped.has(text)).slice(1)) dropped.add(text)
  return sorted.filter(({ text }) => !dropped.has(text))
}

/** The form in which look-alikes are equal (Unicode Technical Standard #39, section 4). */
function findSkeleton(text: string, confusables: ReadonlyMap<string, string>): string {
  const replaced = Array.from(foldLetter(text), (each) => confusables.get(each) ?? each)
  return replaced.join('').normalize('NFD')
}

function findForms(tokenizer: Tokenizer, text: string): number {
  return Number(tokenizer.countTokens(text) === 1) + 2 * Number(tokenizer.countTokens(` ${text}`) === 1)
}

function writeTables(): void {
  const digits = (terms: readonly Term[], form: 'bare' | 'spaced'): string =>
    terms.map((term) => Math.min(MAX_COST, term[form]).toString(36)).join('')
  const text = (terms: readonly Term[]): string => terms.map((term) => term.text).join('')
  const tables: [name: string, meaning: string, value: string][] = [
    ['LETTERS', 'Letters, cheapest first.', text(letters)],
    ['BARE_COSTS', 'Extra tokens of each letter, in base 36.', digits(letters, 'bare')],
    ['SPACED_COSTS', 'Extra tokens of each letter after a space, in base 36.', digits(letters, 'spaced')],
    ...own.map((each): [string, string, string] => [
      `FORMS_${each.name.toUpperCase()}`,
      `Which forms of each letter are one token of ${each.name}: 1 alone, 2 after a space, 3 both.`,
      letters.map((term) => findForms(each, term.text)).join(''),
    ]),
  ]
  const total = FAMILIES.reduce((sum, name) => sum + (WEIGHTS.get(name) ?? 1), 0)
  const parts = [
    `/** The cost, in the tables below, of a token that is extra in every tokenizer family. */\nexport const TOTAL_WEIGHT = ${total}\n`,
    ...tables.map(([name, meaning, value]) =>
      name === 'LETTERS'
        ? `/** ${meaning} */\nexport const ${name}: string =\n${quote(value)}\n`
        : `/** ${meaning} */\nexport const ${name}: string = unpack(\n${quote(pack(value))},\n)\n`,
    ),
  ]
  writeFileSync(
    FILE,
    readFileSync(FILE, 'utf8').replace(TABLE, () => `\n${parts.join('\n')}\n`),
  )
  process.stdout.write(`${tables.map(([name, , value]) => `${name} ${value.length}`).join('\n')}\n`)
}

/** Writes long runs of a digit as `unpack` in the file reads them. */
function pack(digits: string): string {
  return digits.replace(/(.)\1+/g, (run, digit: string) => {
    const packed = `${digit}{${run.length.toString(36)}}`
    return packed.length < run.length ? packed : run
  })
}

function quote(value: string): string {
  const escaped = value.replace(/[\\'\n\r\t]|[\u0000-\u001f]/g, (each) =>
    JSON.stringify(each).slice(1, -1).replace(/^'$/, "\\'"),
  )
  return `  '${escaped}'`
}
