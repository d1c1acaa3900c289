import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import { compress, READABILITY_RULES, type CompressionEntry } from '../../../src/compress/index.ts'
import { serializeRosetta } from '../../../src/index.ts'
import { STOP_WORDS } from '../../../src/compress/candidates/word-lists.ts'
import { isKnownWord } from '../../../src/compress/terms/known-words.ts'
import { readCorpus } from '../../tokens/corpus.ts'

const WORDS =
  'amber birch cedar delta ember flint grove heron inlet jetty kiosk lemon maple nylon ocean pearl'.split(' ')

const NO_SPACES = /([\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}].*){2}/u

/** The expansions that glossary-1 makes of lines that share only what `frame` puts around their words. */
function expand(frame: (one: string, two: string, at: number) => string, count = 32): string[] {
  const lines = Array.from({ length: count }, (_, at) =>
    frame(WORDS[at % 16]!, WORDS[(3 * at + Math.floor(at / 16) + 1) % 16]!, at),
  )
  return compress(lines.join('\n')).entries.map(({ expansion }) => expansion)
}

describe('the readability rules of glossary-1 (SPEC.md §8.4)', () => {
  it('number nine', () => {
    expect(Object.keys(READABILITY_RULES)).toEqual(['R1', 'R2', 'R3', 'R4', 'R5', 'R6', 'R7', 'R8', 'R9'])
  })

  it('R1: no entry of stop words only', () => {
    expect(expand((one, two) => `${one} such as of the ${two}`)).toEqual([])
    expect(expand((one, two) => `${one} such as of the birds ${two}`)).toEqual(['such as of the birds'])
  })

  it('R2: four tokens for an entry with a stop word at an end, and R7: at least three for any entry', () => {
    const isMade = (phrase: string, uses: number): boolean => {
      const lines = Array.from({ length: uses }, (_, at) => `${WORDS[at]} ${phrase} ${WORDS[at + 1]}`)
      const rest = WORDS.map((word) => `${word} red birds sing loudly`)
      return compress([...rest, ...lines].join('\n')).entries.some(({ expansion }) => expansion === phrase)
    }
    const netOf = (phrase: string, uses: number): number =>
      uses * (countTokens(` ${phrase}`) - 1) - countTokens(`|ML=${phrase}`)
    const nets: number[] = []
    for (const [phrase, least] of [
      ['steam engines', 3],
      ['modern steam engines', 3],
      ['steam engines with', 4],
    ] as const) {
      for (let uses = 2; uses < 12; uses++) {
        expect(isMade(phrase, uses), `${phrase} ${uses}`).toBe(netOf(phrase, uses) >= least)
        nets.push(netOf(phrase, uses))
      }
    }
    expect(nets).toEqual(expect.arrayContaining([1, 2, 3, 4]))
    expect(netOf('from steam', 8)).toBe(3)
    expect(isMade('from steam', 8)).toBe(false)
    expect(isMade('from steam', 9)).toBe(true)
  })

  it('R3: brackets and quotes are balanced', () => {
    expect(expand((one, two) => `${one} red birds (which sing ${two}`)).toEqual(['red birds', 'which sing'])
    expect(expand((one, two) => `${one} red birds (they) sing ${two}`)).toEqual(['red birds (they) sing'])
    expect(expand((one, two) => `${one} the “red birds sing ${two}`)).toEqual(['red birds sing'])
    expect(expand((one, two) => `${one} red \`birds sing loudly ${two}`)).toEqual(['birds sing loudly'])
  })

  it('R4: no cut inside a number, a version or a section reference', () => {
    expect(expand((one, two, at) => `${one} see section 4.${at} ${two}`)).toEqual(['see section'])
    expect(expand((one, two, at) => `${one} ${at}.7 red birds sing ${two}`)).toEqual(['red birds sing'])
    expect(expand((one, two) => `${one} see section 4.7 ${two}`)).toEqual(['see section 4.7'])
  })

  it('R5: begins and ends with a word', () => {
    expect(expand((one, two) => `${one}, red birds: ${two}`)).toEqual(['red birds'])
    expect(expand((one, two) => `${one}—透明日志。${two}`)).toEqual(['透明日志'])
  })

  it('R6: two words, or one long name', () => {
    expect(countTokens(' etcd')).toBeGreaterThan(1)
    expect(countTokens(' kubeproxy')).toBeGreaterThan(1)
    expect(countTokens(' information')).toBe(1)
    expect(expand((one, two) => `${one} etcd ${two}`)).toEqual([])
    expect(expand((one, two) => `${one} information ${two}`)).toEqual([])
    expect(expand((one, two) => `${one} kubeproxy ${two}`)).toEqual(['kubeproxy'])
  })

  it('R8: inside one line and one cell', () => {
    expect(expand((one, two) => `${one}\nred birds sing\nsome blue songs\n${two}`).toSorted()).toEqual([
      'red birds sing',
      'some blue songs',
    ])
    const row = (one: string, two: string): string => `| ${one} red birds | sing loudly ${two} |`
    const cells = expand((one, two, at) => (at === 0 ? '| a | b |\n|---|---|' : row(one, two)))
    expect(cells.toSorted()).toEqual(['red birds', 'sing loudly'])
  })

  it('R9: no term is a common word', () => {
    const { entries } = compress(
      Array.from({ length: 16 }, (_, at) => `${WORDS[at]} information technology, a new deal`).join('\n'),
    )
    expect(entries.map(({ term }) => term)).not.toContain('IT')
    expect(entries.length).toBeGreaterThan(0)
  })

  it('hold for every entry of real documents', () => {
    const entries = readCorpus().flatMap((text) => compress(text, { code: true }).entries)
    expect(entries.length).toBeGreaterThan(100)
    expect(entries.filter((entry) => listOffences(entry).length > 0)).toEqual([])
  })
})

function listOffences({ term, expansion, gross }: CompressionEntry): string[] {
  const pair = serializeRosetta({ entries: [{ term: 'ML', expansion }] }).slice('[DECODE] '.length)
  const net = gross - countTokens(`|${pair}|`) + 1
  const words = (expansion.match(/[\p{L}\p{M}\p{N}_]+/gu) ?? []).map((word) => word.toLowerCase())
  const isEdged = STOP_WORDS.has(words[0]!) || STOP_WORDS.has(words.at(-1)!)
  const count = (sign: string): number => expansion.split(sign).length - 1
  const checks = {
    R1: words.some((word) => !STOP_WORDS.has(word)),
    R2: net >= 4 || !isEdged,
    R3: count('`') % 2 === 0 && count('(') === count(')') && count('[') === count(']'),
    R5: /^[\p{L}\p{M}\p{N}_](.*[\p{L}\p{M}\p{N}_])?$/u.test(expansion),
    R6: words.length > 1 || expansion.length >= 6 || NO_SPACES.test(expansion),
    R7: net >= 3,
    R9: !isKnownWord(term),
  }
  return Object.entries(checks).flatMap(([rule, obeys]) => (obeys ? [] : [rule]))
}
