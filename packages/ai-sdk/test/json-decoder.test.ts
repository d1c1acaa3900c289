import { decodeAnswerDeep } from '@packs/codec'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createJsonDecoder } from '../src/json-decoder.ts'

const rosetta = '[DECODE] 水=machine learning|火=say "hi"\\n\\\\o/|§=section |𠀀=\ud83d\ude00 face|ML=markup'

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
    ['{"水":"a 水"}', '{"水":"a machine learning"}'],
    ['"I 火"', '"I say \\"hi\\"\\n\\\\o/"'],
    [
      '[ "a 水" ,\n 1.50, {"a水" : ["a 水", {"a 水":null}] , "x":"a 水"} ]',
      '[ "a machine learning" ,\n 1.50, {"a水" : ["a machine learning", {"a 水":null}] , "x":"a machine learning"} ]',
    ],
    [
      '{"a":"a \\u6c34","\\u6c34\\"L":"\\u0061 水\\u002C"}',
      '{"a":"a machine learning","\\u6c34\\"L":"a machine learning,"}',
    ],
    ['["a","水","a 漢","a 水"]', '["a","水","a 漢","a machine learning"]'],
    ['{"command":"cp ~/ML €5 §2"}', '{"command":"cp ~/ML €5 §2"}'],
    ['{"n":123456789012345678901234567890,"e":1e400}', '{"n":123456789012345678901234567890,"e":1e400}'],
    ['"a \\ud840\\udc00 \\ud840"', '"a 😀 face \\ud840"'],
    ['"漢 \\ud840\\udc00 \\ud840"', '"漢 𠀀 \\ud840"'],
    ['"\\/ é \\u00e9 \\t"', '"/ é é \\t"'],
    ['{}', '{}'],
    ['', ''],
  ])('decodes %s', (text, expected) => {
    expect(decodeChunks(text, [text.length || 1])).toBe(expected)
    expect(decodeChunks(text, [1])).toBe(expected)
  })

  test.each([
    [
      'a prefix and a fence',
      'Here:\n```json\n{"a":"a 水"}\n```',
      'Here:\n```json\n{"a":"a machine learning"}\n```',
    ],
    ['a text that breaks off in a string', '{"a":"x 水', '{"a":"x machine learning'],
    ['a text that breaks off in an escape', '{"a":"a 水 \\u00', '{"a":"a machine learning \\u00'],
    ['a text that breaks off in a name', '{"a 水', '{"a 水'],
    ['a text that breaks off in the escape of a name', '{"a 水\\', '{"a 水\\'],
    [
      'everything after an escape that JSON does not have',
      '["a 水","a\\x 水","a 水"]',
      '["a machine learning","a\\x 水","a 水"]',
    ],
    ['everything after a line end in a string', '["a 水","a\na 水"]', '["a machine learning","a\na 水"]'],
    ['brackets that nothing opened', ']}"a 水"', ']}"a machine learning"'],
  ])('leaves %s as it is', (_, text, expected) => {
    expect(decodeChunks(text, [text.length])).toBe(expected)
    expect(decodeChunks(text, [1])).toBe(expected)
  })

  test('gives the same for every way of cutting, and what decodeAnswerDeep gives', () => {
    const string = fc
      .array(
        fc.constantFrom(
          '水',
          '火',
          '𠀀',
          '漢',
          'a ',
          '§',
          '\ud840',
          '\udc00',
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
      text.replace(/[水火漢]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16)}`)
    const lengths = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1 })
    fc.assert(
      fc.property(tree, fc.boolean(), lengths, (value, escaped, cuts) => {
        const text = escaped ? escapeAll(JSON.stringify(value)) : JSON.stringify(value)
        const whole = decodeChunks(text, [text.length])
        expect(decodeChunks(text, cuts)).toBe(whole)
        expect(JSON.parse(whole)).toEqual(decodeAnswerDeep(JSON.parse(text), rosetta))
      }),
    )
  })

  test('takes JSON of any depth', () => {
    const text = '['.repeat(100_000) + '{"水":"a 水"}' + ']'.repeat(100_000)
    expect(decodeChunks(text, [text.length])).toBe(text.replace(':"a 水"', ':"a machine learning"'))
  })

  test('flushes in the middle of a string, and goes on there', () => {
    const { push, flush } = createJsonDecoder(rosetta)
    expect(push('{"a":"x 水') + flush()).toBe('{"a":"x machine learning')
    expect(push(' 漢 ') + flush()).toBe(' 漢 ')
    expect(push(' 水","b":"a 水"}') + flush()).toBe(' 水","b":"a machine learning"}')
  })

  test('starts again after text that is no JSON', () => {
    const { push, flush } = createJsonDecoder(rosetta)
    expect(push('A 5" disk\na 水') + flush()).toBe('A 5" disk\na 水')
    expect(push('{"a":"a 水"}') + flush()).toBe('{"a":"a machine learning"}')
  })
})
