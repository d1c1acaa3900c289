import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CodecError, parseRosetta, serializeRosetta } from '../../src/index.ts'
import { headers } from '../arbitraries.ts'
import { countRuns } from '../../../test-kit/test/count-runs.ts'

test('round-trip every valid header', () => {
  fc.assert(
    fc.property(headers, (entries) => {
      const text = serializeRosetta({ entries })
      expect(parseRosetta(text)).toEqual({ entries })
      expect(serializeRosetta(parseRosetta(text))).toBe(text)
      expect(text).not.toMatch(/[\n\r\t]/)
    }),
    { numRuns: countRuns(200) },
  )
})

test('round-trip every text that is a header', () => {
  // prettier-ignore
  const pieces = fc.constantFrom(
    'A', 'B', '=', '|', '\\', '\\\\', '\\n', ' ', '\t', '[', 'x y', '\n', '\u0301',
  )
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 12 }), fc.boolean(), (parts, lenient) => {
      const text = `[DECODE] ${parts.join('')}`
      const rosetta = attempt(() => parseRosetta(text, { lenient }))
      fc.pre(!(rosetta instanceof CodecError))
      expect(parseRosetta(serializeRosetta(rosetta))).toEqual(rosetta)
    }),
    { numRuns: countRuns(500) },
  )
})

test('read leniently every strict header, except white space at the edges', () => {
  fc.assert(
    fc.property(headers, (entries) => {
      const tight = entries.map(({ term, expansion }) => ({ term, expansion: `<${expansion}>` }))
      expect(parseRosetta(serializeRosetta({ entries: tight }), { lenient: true })).toEqual({
        entries: tight,
      })
    }),
    { numRuns: countRuns(200) },
  )
})

test('throw only CodecError, with a position in the text and a hint', () => {
  const texts = fc.string({
    unit: fc.constantFrom('[DECODE] ', '\ud800', ...'[DECODE] A=b|\\\n:\u0301'.split('')),
  })
  fc.assert(
    fc.property(texts, fc.boolean(), (text, lenient) => {
      const error = attempt(() => parseRosetta(text, { lenient }))
      fc.pre(error instanceof CodecError)
      expect(error.hint).not.toBe('')
      expect(error.offset).toBeGreaterThanOrEqual(0)
      expect(error.offset).toBeLessThanOrEqual(text.length)
    }),
    { numRuns: countRuns(200) },
  )
})

function attempt<T>(run: () => T): T | CodecError {
  try {
    return run()
  } catch (error) {
    if (error instanceof CodecError) return error
    throw error
  }
}
