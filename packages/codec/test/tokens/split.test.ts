import fc from 'fast-check'
import { CL100K_TOKEN_SPLIT_REGEX, O200K_TOKEN_SPLIT_REGEX } from 'gpt-tokenizer/encodingParams/constants'
import { describe, expect, it } from 'vitest'
import { loadTokenizer } from '../../src/tokens/index.ts'
import { readCorpus } from './corpus.ts'
import { nastyText } from './nasty-text.ts'

const splits = [
  { tokenizer: await loadTokenizer('o200k_base'), pattern: O200K_TOKEN_SPLIT_REGEX },
  { tokenizer: await loadTokenizer('cl100k_base'), pattern: CL100K_TOKEN_SPLIT_REGEX },
]

describe.each(splits)('pre-tokens of $tokenizer.name', ({ tokenizer, pattern }) => {
  function expectSameEnds(text: string): void {
    const ends = [...text.matchAll(pattern)].map((match) => match.index + match[0].length)
    const found = tokenizer.splitPieces(text).ends
    const differs = ends.findIndex((end, index) => end !== found[index])
    expect({ text: text.slice(0, 80), differs, count: found.length }).toEqual({
      text: text.slice(0, 80),
      differs: -1,
      count: ends.length,
    })
  }

  it('end where a match of the pattern ends', () => {
    fc.assert(fc.property(nastyText, expectSameEnds), { numRuns: 20_000 })
  })

  it('match the pattern for every string of four of its classes', () => {
    const classes = ['A', 'b', 'ʰ', '\u0301', '7', ' ', '\n', "'", 's', '!', '/', '\u00a0']
    for (const text of stringsOf(classes, 4)) expectSameEnds(text)
  })

  it('match the pattern around every character of the planes in use', () => {
    for (const plane of [0x0, 0x1, 0x2, 0x3, 0xe]) expectSameEnds(charactersOf(plane).join('Aa '))
  })

  it('match the pattern in the corpus', () => {
    for (const text of readCorpus()) expectSameEnds(text)
  })
})

function* stringsOf(units: readonly string[], length: number): Generator<string> {
  for (let code = 0; code < units.length ** length; code++) {
    let text = ''
    for (let rest = code, at = 0; at < length; at++, rest = Math.floor(rest / units.length))
      text += units[rest % units.length]!
    yield text
  }
}

function charactersOf(plane: number): string[] {
  const points = Array.from({ length: 0x10000 }, (_, low) => (plane << 16) | low)
  return points
    .filter((point) => point < 0xd800 || point > 0xdfff)
    .map((point) => String.fromCodePoint(point))
}
