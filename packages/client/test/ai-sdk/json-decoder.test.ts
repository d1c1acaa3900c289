import { decodeDeep } from '@packs/codec'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createJsonDecoder } from '../../src/ai-sdk/json-decoder.ts'

const rosetta = '[DECODE] ML=machine learning|Q=say "hi"\\n\\\\o/|§=section |𝐗=\ud83d\ude00 face|MLM=end'

/** Decodes a text in chunks of the given lengths, in turn. */
function decodeChunks(text: string, lengths: readonly number[]): string {
  const decoder = createJsonDecoder(rosetta)
  let output = ''
  for (let at = 0, turn = 0; at < text.length; turn++) {
    const end = at + lengths[turn % lengths.length]!
    output += decoder.push(text.slice(at, end))
    at = end
  }
  return output + decoder.flush()
}

describe('createJsonDecoder', () => {
  test.each([
    ['{"ML":"ML"}', '{"ML":"machine learning"}'],
    ['"Q"', '"say \\"hi\\"\\n\\\\o/"'],
    [
      '[ "ML" ,\n 1.50, {"ML" : ["ML", {"ML":null}] , "x":"ML"} ]',
      '[ "machine learning" ,\n 1.50, {"ML" : ["machine learning", {"ML":null}] , "x":"machine learning"} ]',
    ],
    [
      '{"a":"\\u004dL","\\u004d\\"L":"M\\u004C"}',
      '{"a":"machine learning","\\u004d\\"L":"machine learning"}',
    ],
    ['["HTML","x","ML","y"]', '["HTML","x","machine learning","y"]'],
    ['{"n":123456789012345678901234567890,"e":1e400}', '{"n":123456789012345678901234567890,"e":1e400}'],
    ['"\\ud835\\udc17 \\ud835"', '"😀 face \\ud835"'],
    ['"\\/ é \\u00e9 \\t"', '"/ é é \\t"'],
    ['{}', '{}'],
    ['', ''],
  ])('decodes %s', (text, expected) => {
    expect(decodeChunks(text, [text.length || 1])).toBe(expected)
  })

  test.each([
    [
      'a prefix and a fence',
      'Here:\n```json\n{"a":"ML"}\n```',
      'Here:\n```json\n{"a":"machine learning"}\n```',
    ],
    ['a text that breaks off in a string', '{"a":"x ML', '{"a":"x machine learning'],
    ['a text that breaks off in an escape', '{"a":"ML \\u00', '{"a":"machine learning \\u00'],
    ['a text that breaks off in a name', '{"ML', '{"ML'],
    ['a text that breaks off in the escape of a name', '{"ML\\', '{"ML\\'],
    [
      'everything after an escape that JSON does not have',
      '["ML","a\\x ML","ML"]',
      '["machine learning","a\\x ML","ML"]',
    ],
    ['everything after a line end in a string', '["ML","a\nML"]', '["machine learning","a\nML"]'],
    ['brackets that nothing opened', ']}"ML"', ']}"machine learning"'],
  ])('leaves %s as it is', (_, text, expected) => {
    expect(decodeChunks(text, [text.length])).toBe(expected)
    expect(decodeChunks(text, [1])).toBe(expected)
  })

  test('gives the same for every way of cutting, and what decodeDeep gives', () => {
    const string = fc
      .array(
        fc.constantFrom(
          'ML',
          'M',
          'L',
          'Q',
          '§',
          '𝐗',
          '\ud835',
          '\udc17',
          ' ',
          '"',
          '\\',
          '\n',
          '\u0301',
          '\u0007',
          '{',
          ',',
          ':',
        ),
      )
      .map((parts) => parts.join(''))
    const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        string,
        fc.constantFrom(null, true, -1.5),
        fc.array(tie('tree'), { maxLength: 4 }),
        fc.dictionary(string, tie('tree'), { maxKeys: 4 }),
      ),
    }))
    const escapeAll = (text: string): string =>
      text.replace(/[ML]/g, (unit) => `\\u00${unit.charCodeAt(0).toString(16)}`)
    const lengths = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1 })
    fc.assert(
      fc.property(tree, fc.boolean(), lengths, (value, escaped, cuts) => {
        const text = escaped ? escapeAll(JSON.stringify(value)) : JSON.stringify(value)
        const whole = decodeChunks(text, [text.length])
        expect(decodeChunks(text, cuts)).toBe(whole)
        expect(JSON.parse(whole)).toEqual(decodeDeep(JSON.parse(text), rosetta))
      }),
    )
  })

  test('takes JSON of any depth', () => {
    const text = '['.repeat(100_000) + '{"ML":"ML"}' + ']'.repeat(100_000)
    expect(decodeChunks(text, [text.length])).toBe(text.replace(':"ML"', ':"machine learning"'))
  })

  test('flushes in the middle of a string, and goes on there', () => {
    const { push, flush } = createJsonDecoder(rosetta)
    expect(push('{"a":"x ML') + flush()).toBe('{"a":"x machine learning')
    expect(push(' ML","b":"ML"}') + flush()).toBe(' machine learning","b":"machine learning"}')
  })

  test('goes on anew after text that is no JSON', () => {
    const { push, flush } = createJsonDecoder(rosetta)
    expect(push('A 5" disk\nML') + flush()).toBe('A 5" disk\nML')
    expect(push('{"a":"ML"}') + flush()).toBe('{"a":"machine learning"}')
  })
})
