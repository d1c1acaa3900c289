import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readCorpus } from './corpus.ts'
import { encodings } from './encodings.ts'
import { settledText } from './nasty-text.ts'
import { countRuns } from '../../../test-kit/test/count-runs.ts'

describe.each(encodings)('pre-tokens of $name', ({ tokenizer, pattern, encodeByLibrary }) => {
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
    fc.assert(fc.property(settledText, expectSameEnds), { numRuns: countRuns(1_000) })
  })

  it('match the pattern for every string of four of its classes', () => {
    const classes = ['A', 'b', 'ʰ', '\u0301', '7', ' ', '\n', "'", 's', '!', '/', '\u00a0']
    for (const text of stringsOf(classes, 4)) expectSameEnds(text)
  })

  it('give the tokens of the library before, behind and between all kinds of characters', () => {
    const points = [...samplePoints()]
    for (const separator of ['a', 'A', ' ', "'", '\n', '1', '\u0301']) {
      const text = String.fromCodePoint(...points.flatMap((point) => [point, separator.codePointAt(0)!]))
      const ids = encodeByLibrary(text)
      const found = tokenizer.encode(text)
      expect(found.findIndex((id, index) => id !== ids[index])).toBe(-1)
      expect(found.length).toBe(ids.length)
    }
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

/** Characters where a class begins or ends, and some in between. */
function* samplePoints(): Generator<number> {
  let last = ''
  for (let point = 0; point < 0x110000; point += point < 0x40000 ? 1 : 0x40) {
    if (point >= 0xd800 && point < 0xe000) continue
    const found = classNameOf(String.fromCodePoint(point))
    if (found !== last && point > 0) yield point - 1
    if (found !== last || point % 0x200 === 0) yield point
    last = found
  }
}

function classNameOf(character: string): string {
  return CLASSES.find(([, pattern]) => pattern.test(character))?.[0] ?? 'other'
}

const CLASSES = [
  ['lower', /\p{Ll}/u],
  ['upper', /[\p{Lu}\p{Lt}]/u],
  ['letter', /\p{L}/u],
  ['number', /\p{N}/u],
  ['mark', /\p{M}/u],
  ['space', /[\s\x85]/u],
  ['unassigned', /\p{Cn}/u],
] as const
