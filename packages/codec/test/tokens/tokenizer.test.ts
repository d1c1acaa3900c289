import fc from 'fast-check'
import ranks from 'gpt-tokenizer/bpeRanks/o200k_base'
import { describe, expect, it } from 'vitest'
import { encodings } from './encodings.ts'
import { readCorpus } from './corpus.ts'
import { anyText, nastyText } from './nasty-text.ts'
import { countRuns } from '../../../test-kit/test/count-runs.ts'

/** Strings of each kind; `pnpm test:exact` takes 50,000. */
const RUNS = countRuns(200)

describe.each(encodings)('$name', ({ tokenizer, encodeByLibrary }) => {
  it.each([
    ['fragments of text', nastyText],
    ['characters of all classes, runs and edited documents', anyText],
  ])('returns the ids of the library for any string: %s', (_name, texts) => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(tokenizer.encode(text)).toEqual(encodeByLibrary(text))
        expect(tokenizer.countTokens(text)).toBe(encodeByLibrary(text).length)
      }),
      { numRuns: RUNS },
    )
  })

  it('returns the ids of the library for every document of the corpus', () => {
    for (const text of readCorpus()) expect(tokenizer.encode(text)).toEqual(encodeByLibrary(text))
  })

  it('counts as many tokens as it encodes, as a whole and by pieces', () => {
    fc.assert(
      fc.property(nastyText, (text) => {
        const { ends, counts } = tokenizer.splitPieces(text)
        expect(tokenizer.countTokens(text)).toBe(tokenizer.encode(text).length)
        expect([...counts]).toEqual(slicesAt(text, ends).map((piece) => encodeByLibrary(piece).length))
      }),
      { numRuns: countRuns(300) },
    )
  })

  it('reads special tokens as plain text', () => {
    expect(tokenizer.encode('a<|endoftext|>b<|im_start|>')).toEqual(
      encodeByLibrary('a<|endoftext|>b<|im_start|>'),
    )
    expect(tokenizer.countTokens('<|endoftext|>')).toBeGreaterThan(1)
  })

  it('counts text with a leading byte order mark as the library does', () => {
    const texts = ranks.filter((rest) => typeof rest === 'string')
    const rests = texts.filter((_, rank) => rank % 100 === 0)
    for (const rest of ['', '\ufeff', '#', 'using', '名', ...rests]) {
      for (const text of [`\ufeff${rest}`, `!!\ufeff${rest}x`]) {
        expect(tokenizer.encode(text)).toEqual(encodeByLibrary(text))
      }
    }
  })

  it('reads a lone surrogate as U+FFFD', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.integer({ min: 0xd7f0, max: 0xe010 }).map((unit) => String.fromCharCode(unit)),
        }),
        (text) => {
          expect(tokenizer.encode(text)).toEqual(encodeByLibrary(wellFormed(text)))
          expect(tokenizer.splitPieces(text)).toEqual(tokenizer.splitPieces(wellFormed(text)))
        },
      ),
    )
  })

  it('counts 0 tokens in an empty text', () => {
    expect(tokenizer.countTokens('')).toBe(0)
    expect(tokenizer.encode('')).toEqual([])
    expect(tokenizer.splitPieces('')).toEqual({ ends: new Uint32Array(0), counts: new Uint32Array(0) })
  })

  it('counts a piece equally after its cache was emptied', () => {
    const pieces = Array.from(
      { length: 40_000 },
      (_, index) => `q${index.toString(3).replace(/[012]/g, (digit) => 'xzj'[Number(digit)]!)}`,
    )
    const counts = pieces.map((piece) => tokenizer.countTokens(piece))
    expect(pieces.map((piece) => tokenizer.countTokens(piece))).toEqual(counts)
    expect(counts.slice(0, 500)).toEqual(pieces.slice(0, 500).map((piece) => encodeByLibrary(piece).length))
  })
})

function slicesAt(text: string, ends: Uint32Array): string[] {
  return [...ends].map((end, index) => text.slice(ends[index - 1] ?? 0, end))
}

function wellFormed(text: string): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(new TextEncoder().encode(text))
}
