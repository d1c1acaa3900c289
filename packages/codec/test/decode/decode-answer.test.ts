import { describe, expect, test } from 'vitest'
import { createAnswerDecoder, decodeAnswer, listTerms } from '../../src/index.ts'

const rosetta =
  '[DECODE] 水=the water 火 |火=fire|\u{20000}=a rare word|한=   |ML=machine learning|€=consignments|→=before move|~= The'

describe('decodeAnswer', () => {
  test.each([
    ['a price', 'It costs €1,190.'],
    ['an arrow', 'Class 4 alarm → operator'],
    ['a path', 'cp ~/certs/chain.pem'],
    ['an acronym', 'ML, that is machine learning'],
    ['an answer in Chinese', '水是一种 水 。ML 水 API'],
    ['an answer that begins with a term', '水 is a term, and so is 水'],
    ['an answer whose first letter is behind digits and signs', '1. 水 €'],
    ['what follows a letter outside W that is no term', 'The letter 木 and then 水'],
    ['what follows a word in another script', 'In Tokyo 東京 and then 水'],
  ])('leaves %s as it is', (_, text) => {
    expect(decodeAnswer(text, rosetta)).toBe(text)
  })

  test('expands single letters in an answer of words, resolved and without white space at the ends', () => {
    expect(decodeAnswer('Use 水, then“火”and \u{20000}.', rosetta)).toBe(
      'Use the water fire, then“fire”and a rare word.',
    )
  })

  test('leaves a term of white space alone as it is, and goes on', () => {
    expect(decodeAnswer('a 한 b 火', rosetta)).toBe('a 한 b fire')
  })

  test('leaves uses beyond maxOutput as they are, and is never an error', () => {
    expect(decodeAnswer('ab 火 火 火 cd', rosetta, { maxOutput: 12 })).toBe('ab fire fire 火 cd')
    expect(decodeAnswer('ab 水 火 cd', rosetta, { maxOutput: 9 })).toBe('ab 水 fire cd')
    expect(decodeAnswer('ab 火', rosetta, { maxOutput: 0 })).toBe('ab 火')
  })

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

test('listTerms names the certain uses and their offsets', () => {
  expect(listTerms('Use \u{20000}, 한 and 水; ML €5. 木 火', rosetta)).toEqual([
    { term: '\u{20000}', expansion: 'a rare word', offset: 4 },
    { term: '한', expansion: '한', offset: 8 },
    { term: '水', expansion: 'the water fire', offset: 14 },
  ])
  expect(listTerms('It costs €1,190.', rosetta)).toEqual([])
  expect(() => listTerms('', 'A=b')).toThrow(expect.objectContaining({ code: 'no_marker' }))
})
