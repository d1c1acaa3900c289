import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LongRangeCounter, TextTokens } from '../../../src/compress/cost/long-range-counter.ts'
import { encodings } from '../../tokens/encodings.ts'
import { nastyText } from '../../tokens/nasty-text.ts'
import { HOSTILE_TEXTS } from '../hostile-texts.ts'
import { countRuns } from '../../../../test-kit/test/count-runs.ts'

const RUNS = countRuns(100)
/** Ranges of each text. */
const RANGES = 40

describe.each(encodings)('counting long ranges of a text, $name', ({ tokenizer }) => {
  const countDirectly = (text: string, from: number, to: number): number =>
    tokenizer.countTokens(`=${text.slice(from, to)}|`)
  const createCounter = (text: string): LongRangeCounter =>
    new LongRangeCounter(new TextTokens(text, tokenizer.splitPieces(text), tokenizer), '=', '|')

  it.each(Object.entries(HOSTILE_TEXTS))('gives the tokens of the range: %s', (_, make) => {
    const text = make(1_500)
    const counter = createCounter(text)
    let found = 0
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.integer({ min: 20, max: 300 }), (start, length) => {
        const [from, to] = atCharacters(text, start, start + length)
        const count = counter.count(from, to)
        if (count < 0) return
        found++
        expect(count).toBe(countDirectly(text, from, to))
      }),
      { numRuns: RUNS },
    )
    // A run of one character has no place where its tokens must end.
    expect(found).toBeGreaterThan(new Set(text).size > 1 ? RUNS / 2 : -1)
  })

  it('gives the tokens of the range for texts of all scripts, with line ends escaped', () => {
    let [found, wrong] = [0, 0]
    fc.assert(
      fc.property(fc.array(nastyText, { minLength: 3, maxLength: 12 }), fc.nat(), (parts, seed) => {
        const text = parts
          .join('')
          .toWellFormed()
          .replace(/[\r\n\t]/g, '\\n')
        const counter = createCounter(text)
        for (let range = 0; range < RANGES && text.length > 20; range++) {
          const start = (seed + range * 7919) % (text.length - 16)
          const [from, to] = atCharacters(text, start, start + 16 + ((seed >> 3) % 50))
          const count = counter.count(from, to)
          if (count < 0) continue
          found++
          if (count !== countDirectly(text, from, to)) wrong++
        }
      }),
      { numRuns: RUNS },
    )
    expect(found).toBeGreaterThan(RUNS * RANGES * 0.5)
    // White space of several kinds next to each other is split differently at the end of a text.
    expect(wrong / found).toBeLessThan(0.001)
  })

  it('estimates ranges without joints to within a few tokens', () => {
    const text = '='.repeat(600)
    const counter = createCounter(text)
    expect(counter.count(10, 400)).toBe(-1)
    expect(Math.abs(counter.estimate(10, 400) - countDirectly(text, 10, 400))).toBeLessThan(5)
  })
})

describe.each(encodings)('the ends of tokens, $name', ({ tokenizer, decodeByLibrary }) => {
  it('are those of the encoded text', () => {
    fc.assert(
      fc.property(nastyText, (nasty) => {
        const text = nasty.toWellFormed().replaceAll('\ufeff', '')
        const ids = tokenizer.encode(text)
        const ends = tokenizer.tokenEnds(text)
        expect(ends).toHaveLength(ids.length)
        for (const [index, end] of ends.entries()) {
          const before = decodeByLibrary(ids.slice(0, index + 1))
          expect(end >= 0 ? before : before.slice(-1)).toBe(end >= 0 ? text.slice(0, end) : '\ufffd')
        }
      }),
      { numRuns: RUNS },
    )
  })

  it('of a piece with byte order marks end with the piece', () => {
    expect(tokenizer.tokenEnds('a\ufeff\ufeffb c').at(-1)).toBe(6)
  })
})

/** Moves both offsets into the text and out of surrogate pairs. */
function atCharacters(text: string, from: number, to: number): [from: number, to: number] {
  const isInside = (offset: number): boolean => /[\udc00-\udfff]/.test(text[offset] ?? '')
  const end = Math.min(to, text.length)
  return [isInside(from) ? from - 1 : from, isInside(end) ? end - 1 : end]
}
