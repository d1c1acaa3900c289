import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { isKnownWord, means } from '../../../src/compress/terms/known-words.ts'

describe('isKnownWord', () => {
  it.each([
    ['English words', 'IT US GO CAT DOG RUN CARS WORK LESS'],
    ['currencies', 'EUR USD CHF JPY ZAR'],
    ['units', 'KG MM KB MHZ GIB KWH MPH LBS PSI'],
    ['Roman numerals', 'II IV VI XL XIV MCM XVII'],
    ['HTTP methods and SQL', 'GET PUT POST HEAD JOIN FROM NULL'],
    ['keywords', 'FN ELIF ENUM VOID LET DEF VAR'],
    ['file extensions', 'JS PY RS MD CSV PDF DOCX YAML TOML'],
    ['months and weekdays', 'JAN SEPT DEC MON TUE SUN'],
    ['countries and states', 'UK EU DE FR ES UN USA CA TX NYC'],
    ['elements', 'FE AU CU ZN'],
    ['offensive words', 'ASS TIT KKK SS NSFW SHIT WTF'],
    ['computing', 'RN SSR RPC OS CD PC AI QR API TLS HTTP UI UX QA ID VM'],
    ['business', 'CEO HR PR KPI ROI CRM IPO VAT'],
    ['medicine and science', 'BMI PCR ECG HIV DNA ICU LDL'],
    ['organisations, brands and places', 'IBM NASA WHO BBC IKEA LAX FBI FIFA'],
    ['chat', 'LOL BTW IMO AKA DIY FYI'],
    ['time zones', 'UTC EST PST CET GMT'],
    ['abbreviations', 'ETC VS NB PS TV PM AM AD BC'],
  ])('%s', (_, terms) => {
    expect(terms.split(' ').filter((term) => !isKnownWord(term))).toEqual([])
  })

  it('leaves other letters free', () => {
    const free = ['BFR', 'QKX', 'FG', 'VL', 'WK', 'JJ', 'ZV', 'CGW', 'LTB', 'TPQD', 'WJRS']
    expect(free.filter(isKnownWord)).toEqual([])
  })

  it('knows the case of no letter', () => {
    expect(isKnownWord('Rpc')).toBe(true)
    expect(isKnownWord('bfr')).toBe(false)
  })

  it('knows only two to four letters of ASCII', () => {
    expect(['', 'A', 'I', 'ABOUT', 'A1', 'A-B', 'ÉTÉ', 'GO ', 'ſs'].filter(isKnownWord)).toEqual([])
  })

  it('keeps most triples, and of the pairs enough', () => {
    const letters = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ')
    const pairs = letters.flatMap((one) => letters.map((two) => one + two))
    const triples = pairs.flatMap((pair) => letters.map((letter) => pair + letter))
    expect(pairs.filter((term) => !isKnownWord(term)).length).toBeGreaterThan(250)
    expect(triples.filter((term) => !isKnownWord(term)).length).toBeGreaterThan(13_500)
  })
})

describe('means', () => {
  it.each([
    ['API', 'application programming interface'],
    ['TLS', 'transport layer security'],
    ['ML', 'machine learning'],
    ['VM', 'virtual machine'],
    ['CI', 'continuous integration'],
    ['CI', 'confidence interval'],
    ['XML', 'extensible markup language'],
    ['DB', 'database'],
    ['NASA', 'national aeronautics and space administration'],
  ])('%s is %s', (term, phrase) => {
    expect(means(term, phrase)).toBe(true)
    expect(isKnownWord(term)).toBe(true)
  })

  it('looks past case, white space, hyphens and the plural', () => {
    expect(means('Api', ' Application\n  Programming Interfaces')).toBe(true)
    expect(means('DFS', 'depth-first search')).toBe(true)
    expect(means('DNS', 'Domain Name System')).toBe(true)
  })

  it('refuses other phrases', () => {
    expect(means('RN', 'remote notifications')).toBe(false)
    expect(means('AI', 'as shown in')).toBe(false)
    expect(means('API', 'apple pie interface')).toBe(false)
    expect(means('APT', 'application programming interface')).toBe(false)
    expect(means('BFR', 'big furry rabbit')).toBe(false)
    expect(means('API', '')).toBe(false)
  })
})

it('has tables of at most 16 KB', () => {
  const file = new URL('../../../src/compress/terms/known-word-lists.ts', import.meta.url)
  expect(readFileSync(file).length).toBeLessThanOrEqual(16_384)
})
