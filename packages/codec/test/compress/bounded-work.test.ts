import { describe, expect, it } from 'vitest'
import { encodeText } from '../../src/compress/encode-text.ts'
import { prepareText } from '../../src/compress/prepare-text.ts'
import { SCHEME_PLANS } from '../../src/compress/schemes.ts'
import { loadTokenizer } from '../../src/tokens/load-tokenizer.ts'
import type { Tokenizer } from '../../src/tokens/get-tokenizer.ts'
import { HOSTILE_TEXTS } from './hostile-texts.ts'

const LENGTH = 5_000
/** The schemes, and another vocabulary in one of them. */
const SCHEMES = { o200k_base: ['minify-1', 'dense-2', 'max-2'], cl100k_base: ['dense-2'] } as const

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
