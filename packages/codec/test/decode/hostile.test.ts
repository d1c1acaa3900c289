import { describe, expect, test } from 'vitest'
import {
  CodecError,
  createDecoder,
  decode,
  parseRosetta,
  restore,
  serializeRosetta,
} from '../../src/index.ts'

test.each<[string, () => unknown, string, string]>([
  [
    'a pack',
    () => decode({ content: 'x' } as never, undefined as never),
    'wrong_type',
    'Pass content, header',
  ],
  ['other content', () => decode({} as never, '[DECODE]'), 'wrong_type', 'Pass content, header'],
  ['no pack', () => restore(undefined as never), 'wrong_type', 'Pass content, header'],
  ['no entries', () => serializeRosetta({} as never), 'wrong_type', 'Pass content, header'],
])('decoding %s is an error that says what to pass', (_, call, code, hint) => {
  expect(call).toThrow(expect.objectContaining({ name: 'CodecError', code, hint }))
})

describe('hostile headers', () => {
  test('terms with names that objects inherit are data', () => {
    const entries = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'].map((term) => ({
      term,
      expansion: `<${term}>`,
    }))
    const rosetta = serializeRosetta({ entries })
    expect(decode('__proto__ constructor toString valueOf', rosetta)).toBe(
      '<__proto__> <constructor> <toString> valueOf',
    )
    expect(parseRosetta(rosetta).entries).toEqual(entries)
    expect(Object.hasOwn(Object.prototype, 'expansion')).toBe(false)
  })

  test('exploding nesting is refused before it is built', () => {
    const levels = Array.from({ length: 500 }, (_, level) => ({
      term: `T${level}`,
      expansion: `T${level + 1} `.repeat(500),
    }))
    expect(failure(() => decode('x', { entries: levels }))).toMatchObject({ code: 'nesting_too_large' })
    expect(failure(() => createDecoder({ entries: levels }))).toMatchObject({ code: 'nesting_too_large' })
  })

  test('nesting as deep as the header is resolved', () => {
    const chain = Array.from({ length: 20_000 }, (_, level) => ({
      term: `T${level}`,
      expansion: `T${level + 1}`,
    }))
    expect(decode('T0 T19999 T20000', { entries: chain })).toBe('T20000 T20000 T20000')
  })

  test.each(['\\', '|', '=', '\\\\|', 'A=', '[', ' |', ' A'])(
    'a text that repeats %j is refused in no time',
    (piece) => {
      const many = piece.repeat(200_000)
      for (const text of [`[DECODE] ${many}`, `[DECODE] ${many}\\`, many, `${many}] A=b`]) {
        expect(failure(() => parseRosetta(text))).toBeInstanceOf(CodecError)
        expect(failure(() => parseRosetta(text, { lenient: true }))).toBeInstanceOf(CodecError)
      }
    },
  )
})

describe('maxOutput', () => {
  test('of 0, or of no number, allows no output', () => {
    for (const maxOutput of [0, -1, Number.NaN]) {
      expect(failure(() => decode('a', '[DECODE]', { maxOutput }))).toMatchObject({
        code: 'output_too_large',
        offset: 0,
      })
      expect(decode('', '[DECODE]', { maxOutput })).toBe('')
    }
  })

  test('has a default that stops a bomb of 64 MiB and one unit', () => {
    const entries = [{ term: '§', expansion: 'x'.repeat(4096) }]
    const content = '§'.repeat(16_384)
    expect(decode(content, { entries })).toHaveLength(67_108_864)
    expect(failure(() => decode(`${content}y`, { entries }))).toMatchObject({
      code: 'output_too_large',
      offset: 16_384,
    })
  })

  test('may be lifted', () => {
    const entries = [{ term: '§', expansion: 'x'.repeat(4096) }]
    expect(decode('§'.repeat(16_385), { entries }, { maxOutput: Infinity })).toHaveLength(67_112_960)
  })
})

test('a decoder that failed stays failed', () => {
  const decoder = createDecoder('[DECODE]', { maxOutput: 1 })
  expect(failure(() => decoder.push('ab'))).toMatchObject({ code: 'output_too_large', offset: 1 })
  expect(failure(() => decoder.push(''))).toMatchObject({ code: 'decoder_ended' })
  expect(failure(() => decoder.end())).toMatchObject({ code: 'decoder_ended' })
})

test('an error says what is wrong, what was found, cut at 80 characters, and what to do', () => {
  const term = 'x'.repeat(100)
  expect(failure(() => parseRosetta(`[DECODE] ${term}=y`))).toMatchObject({
    name: 'CodecError',
    message: `term too long: "${'x'.repeat(80)}"`,
    hint: 'At most 64 code points',
    offset: 9,
    entry: 0,
  })
})

function failure(run: () => unknown): unknown {
  try {
    return run()
  } catch (error) {
    return error
  }
}
