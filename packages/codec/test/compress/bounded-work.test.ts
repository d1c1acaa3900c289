import { describe, expect, it } from 'vitest'
import { CharKind } from '../../src/compress/text/char-kind.ts'
import { encodeText } from '../../src/compress/encode-text.ts'
import { lexUnits } from '../../src/compress/text/lex-units.ts'
import { prepareText } from '../../src/compress/prepare-text.ts'
import { SCHEME_PLANS } from '../../src/compress/schemes.ts'
import { TextReadability } from '../../src/compress/candidates/readability.ts'
import { loadTokenizer } from '../../src/tokens/load-tokenizer.ts'
import type { Tokenizer } from '../../src/tokens/types.ts'
import { HOSTILE_TEXTS } from './hostile-texts.ts'

const LENGTH = 5_000
/** The schemes, and another vocabulary in one of them. */
const SCHEMES = {
  o200k_base: ['glossary-1', 'dense-1', 'max-1'],
  cl100k_base: ['dense-1'],
} as const

describe.each(['o200k_base', 'cl100k_base'] as const)('the work for a hostile text, %s', (name) => {
  const counts = { units: 0 }
  let counted: Tokenizer | undefined

  it.each(
    SCHEMES[name].flatMap((scheme) => Object.keys(HOSTILE_TEXTS).map((kind) => [scheme, kind] as const)),
  )('grows with its length: %s, %s', async (scheme, kind) => {
    const tokenizer = (counted ??= countUnits(await loadTokenizer(name), counts))
    const options = { scheme, tokenizer, glossary: [], code: false }
    prepareText('a', options)
    const text = HOSTILE_TEXTS[kind]!(LENGTH)
    counts.units = 0
    const prepared = prepareText(text, options)
    const bytes = Buffer.byteLength(text)
    // Ordinary English takes 2 to 4 units of text that are tokenised for each of its own.
    expect(counts.units / text.length).toBeLessThan(50)
    // The selection visits each occurrence in each step.
    const { most, kept } = SCHEME_PLANS[scheme].occurrences
    expect(prepared.set.occurrenceCount / bytes).toBeLessThanOrEqual(Math.max(most, 2 * kept))
    encodeText(prepared, 8)
    expect(counts.units / text.length).toBeLessThan(60)
  })
})

it('judges the readability of a long phrase with as many reads as that of a short one', () => {
  const text = '中文(字典)"ab" '.repeat(400)
  const units = lexUnits(text, new Int32Array(0), false)
  let reads = 0
  const readOnce = <Values extends Int32Array | Uint8Array>(values: Values): Values =>
    new Proxy(values, {
      get(target, key) {
        reads++
        const value: unknown = Reflect.get(target, key, target)
        return value
      },
    })
  const boundaries = {
    total: 0,
    begins: new Int32Array(units.count + 1),
    ends: new Int32Array(units.count + 1),
  }
  const readability = new TextReadability(
    { ...units, kinds: readOnce(units.kinds), starts: readOnce(units.starts) },
    { ...boundaries, adjacencyGain: new Int8Array(units.count + 1) },
  )
  const countReads = (end: number): number => {
    reads = 0
    readability.findBrokenRule(0, end)
    readability.startsWithStopWord(0)
    return reads
  }
  const word = units.kinds.indexOf(CharKind.word)
  expect(countReads(word + 1)).toBe(countReads(word + 1 + 11 * 40))
})

/** Returns the tokenizer, which adds up the UTF-16 units of the texts that it is given. */
function countUnits(tokenizer: Tokenizer, counts: { units: number }): Tokenizer {
  const handler: ProxyHandler<Tokenizer> = {
    get(target, key, receiver) {
      const value: unknown = Reflect.get(target, key, receiver)
      if (typeof value !== 'function') return value
      return (...values: unknown[]): unknown => {
        if (typeof values[0] === 'string') counts.units += values[0].length
        return value.apply(target, values)
      }
    },
  }
  return new Proxy(tokenizer, handler)
}
