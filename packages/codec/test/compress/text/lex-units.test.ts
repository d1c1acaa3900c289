import { describe, expect, it } from 'vitest'
import { compress } from '../../../src/compress/compress.ts'
import '../../load-o200k-base.ts'
import { lexUnits } from '../../../src/compress/text/lex-units.ts'
import { decode } from '../../../src/index.ts'

function cut(text: string, newlines = true): string[] {
  const { starts, count } = lexUnits(text, new Int32Array(0), newlines)
  return Array.from({ length: count }, (_, unit) => text.slice(starts[unit], starts[unit + 1]))
}

describe('lexUnits', () => {
  it('cuts words, line ends and single other characters', () => {
    expect(cut('a_1 é, 中文\r\n\n🙂')).toEqual(['a_1', ' ', 'é', ',', ' ', '中', '文', '\r\n', '\n', '🙂'])
  })

  it.each([' ', '\t', '-', '\n', '中'])('does not cut a run of more than 64 of %j', (character) => {
    const short = character.repeat(64)
    const long = character.repeat(65)
    expect(cut(`a${short}b${long}c`)).toEqual(['a', ...Array.from(short), 'b', long, 'c'])
  })

  it('keeps each CR with its LF', () => {
    const run = '\r'.repeat(70)
    expect(cut(`${run}\n`)).toEqual([...Array.from(run.slice(1)), '\r\n'])
  })

  it('gives equal runs equal ids, and blocks every unit that touches a blocked range', () => {
    const run = '-'.repeat(80)
    const { ids, blocked, count } = lexUnits(`${run}a${run}b`, Int32Array.of(100, 101), true)
    expect([count, ids[0] === ids[2], [...blocked]]).toEqual([4, false, [0, 0, 1, 0]])
    expect(lexUnits(`${run}a${run}`, new Int32Array(0), true).ids).toEqual(Int32Array.of(0, 1, 0))
  })
})

it.each(['dense-2', 'max-2'] as const)('compresses lists nested 600 deep under %s', (scheme) => {
  const lines = Array.from(
    { length: 600 },
    (_, depth) => `${'  '.repeat(depth)}- item ${depth} of the list\n`,
  )
  const { content, rosetta, tokens } = compress(lines.join(''), { scheme })
  expect(decode(content, rosetta)).toBe(lines.join(''))
  // Lines this deep stay as they are under dense-2.
  expect(tokens.content + tokens.rosetta).toBeLessThanOrEqual((scheme === 'max-2' ? 0.98 : 1) * tokens.source)
})
