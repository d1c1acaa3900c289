import { describe, expect, test } from 'vitest'
import { createAnswerDecoder, decodeAnswer, listTerms } from '../../src/index.ts'

const rosetta =
  '[DECODE] 水=the water 火 |火=fire|\u{20000}=a rare word|한=   |ML=machine learning|€=consignments|→=before move|~= The'

// What answers become, whole and in chunks, is in fixtures/answer.json.
describe('decodeAnswer', () => {
  test('takes a header that is parsed, and refuses an invalid one with its position', () => {
    expect(decodeAnswer('a 水', { entries: [{ term: '水', expansion: 'b' }] })).toBe('a b')
    expect(() => decodeAnswer('', '[DECODE] A=b|C')).toThrow(
      expect.objectContaining({ name: 'CodecError', code: 'missing_equals', offset: 13, entry: 1 }),
    )
  })
})

describe('createAnswerDecoder', () => {
  test('returns at once what no later chunk can change', () => {
    const { push, end } = createAnswerDecoder(rosetta)
    const chunks = ['水', ' a', '水', '.']
    // Nothing is certain behind a term that no letter precedes, so nothing is held back.
    expect(chunks.map(push)).toEqual(chunks)
    expect(end()).toBe('')
    // prettier-ignore
    expect(['Use M', 'L ', '火', ' \ud840', '\udc00', '\ud840', 'x'].map(push)).toEqual([
      'Use M', 'L ', '', 'fire ', '', '', 'a rare word\ud840x',
    ])
    expect(end()).toBe('')
  })

  test('begins another answer after the end', () => {
    const { push, end } = createAnswerDecoder(rosetta)
    expect(push('木 a 火') + end()).toBe('木 a 火')
    expect(push('a 火') + end()).toBe('a fire')
    expect(push('火') + end()).toBe('火')
  })

  test('maxOutput bounds all its answers together', () => {
    const { push, end } = createAnswerDecoder(rosetta, { maxOutput: 13 })
    expect(push('a 火') + end() + push('a ') + push('火') + end()).toBe('a firea fire')
    expect(push('a 火') + end()).toBe('a 火')
  })

  test('refuses an invalid header', () => {
    expect(() => createAnswerDecoder('A=b')).toThrow(expect.objectContaining({ code: 'no_marker' }))
  })
})

test('listTerms refuses an invalid header', () => {
  expect(() => listTerms('', 'A=b')).toThrow(expect.objectContaining({ code: 'no_marker' }))
})
