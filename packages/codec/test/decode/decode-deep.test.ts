import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decode, decodeDeep } from '../../src/index.ts'

const rosetta = '[DECODE] ML=machine learning|§=section |Q=a "quote"\\nMM|MM=end'

describe('decodeDeep', () => {
  test('decodes strings at every depth and leaves keys, numbers, booleans and null alone', () => {
    const value = { ML: ['ML', { '§': '§5', n: 1.5, yes: true, no: null }], html: 'HTML', quote: 'Q' }
    expect(decodeDeep(value, rosetta)).toEqual({
      ML: ['machine learning', { '§': 'section 5', n: 1.5, yes: true, no: null }],
      html: 'HTML',
      quote: 'a "quote"\nend',
    })
  })

  test('changes nothing in the value that it receives', () => {
    const value = { list: ['ML'], nested: { text: 'ML' } }
    const before = structuredClone(value)
    const decoded = decodeDeep(Object.freeze(value), rosetta)
    expect(value).toEqual(before)
    expect(decoded.list).not.toBe(value.list)
    expect(decoded.nested).not.toBe(value.nested)
  })

  test.each([
    ['ML', 'machine learning'],
    ['', ''],
    [7, 7],
    [null, null],
    [undefined, undefined],
    [false, false],
    [[], []],
    [{}, {}],
  ])('takes %j by itself', (value, expected) => {
    expect(decodeDeep<unknown>(value, rosetta)).toEqual(expected)
  })

  test('each string has its own ends: neighbours in other strings do not matter', () => {
    expect(decodeDeep(['x', 'ML', 'y', 'M', 'L', '\u0301'], rosetta)).toEqual([
      'x',
      'machine learning',
      'y',
      'M',
      'L',
      '\u0301',
    ])
  })

  test('gives each string what decode gives', () => {
    const text = fc
      .array(fc.constantFrom('ML', 'MM', 'Q', '§', ' ', 'x', '\u0301', '\ud83d', '"'))
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(fc.array(text), (texts) => {
        expect(decodeDeep(texts, rosetta)).toEqual(texts.map((one) => decode(one, rosetta)))
      }),
    )
  })

  test('maxOutput bounds all strings together', () => {
    const value = { a: 'ML', b: ['12345678'] }
    expect(decodeDeep(value, rosetta, { maxOutput: 24 })).toEqual({ a: 'machine learning', b: ['12345678'] })
    expect(() => decodeDeep(value, rosetta, { maxOutput: 23 })).toThrow(
      expect.objectContaining({ code: 'output_too_large', offset: 9 }),
    )
    expect(() =>
      decodeDeep(
        Array.from({ length: 100 }, () => 'ML'),
        rosetta,
        { maxOutput: 1599 },
      ),
    ).toThrow(expect.objectContaining({ code: 'output_too_large' }))
  })

  test('refuses an invalid header, also if there is no string', () => {
    expect(() => decodeDeep({}, 'ML=machine learning')).toThrow(
      expect.objectContaining({ code: 'no_marker' }),
    )
  })

  test('takes a value as deep as JSON.parse gives one', () => {
    const depth = 200_000
    let value: unknown = JSON.parse('['.repeat(depth) + '"ML"' + ']'.repeat(depth))
    value = decodeDeep(value, rosetta)
    let levels = 0
    for (; Array.isArray(value); levels++) value = value[0]
    expect([levels, value]).toEqual([depth, 'machine learning'])
  })

  test('a __proto__ key stays a key', () => {
    const value = JSON.parse('{"__proto__":{"polluted":"ML"},"constructor":"ML"}') as object
    const decoded = decodeDeep(value, rosetta)
    expect(Object.getPrototypeOf(decoded)).toBe(Object.prototype)
    expect(JSON.stringify(decoded)).toBe(
      '{"__proto__":{"polluted":"machine learning"},"constructor":"machine learning"}',
    )
    expect(({} as { polluted?: string }).polluted).toBeUndefined()
  })

  test('holes stay holes, and a long array without elements costs nothing', () => {
    const value: string[] = []
    value[3] = 'ML'
    value.length = 4_000_000_000
    const decoded = decodeDeep(value, rosetta)
    expect(decoded.length).toBe(4_000_000_000)
    expect(Object.entries(decoded)).toEqual([['3', 'machine learning']])
  })

  test('copies what occurs several times once, also an object within itself', () => {
    const shared = { text: 'ML' }
    const value: Record<string, unknown> = { first: shared, second: shared }
    value['self'] = value
    const decoded = decodeDeep(value, rosetta, { maxOutput: 16 })
    expect(decoded['first']).toEqual({ text: 'machine learning' })
    expect(decoded['second']).toBe(decoded['first'])
    expect(decoded['self']).toBe(decoded)
  })

  test('returns what JSON does not have as it is', () => {
    class Money {
      unit = 'ML'
    }
    const others = [
      new Date(0),
      () => 'ML',
      new Money(),
      new Map([['a', 'ML']]),
      new String('ML'),
      5n,
      Symbol('ML'),
    ]
    expect(decodeDeep({ others }, rosetta).others.map((other, index) => other === others[index])).toEqual(
      others.map(() => true),
    )
  })

  test('takes objects of another realm, and those without a prototype', () => {
    const foreign = runInNewContext('({ text: "ML", list: ["ML"] })') as object
    const bare = Object.assign(Object.create(null) as object, { text: 'ML' })
    expect(decodeDeep({ foreign, bare }, rosetta)).toEqual({
      foreign: { text: 'machine learning', list: ['machine learning'] },
      bare: { text: 'machine learning' },
    })
  })

  test('takes a header that is parsed', () => {
    expect(decodeDeep(['A'], { entries: [{ term: 'A', expansion: 'b' }] })).toEqual(['b'])
  })
})
