import { expect, test } from 'vitest'
import { CodecError, decode, serializeRosetta } from '../../src/index.ts'

const entries = Array.from({ length: 1024 }, (_, n) => ({ term: `T${n}`, expansion: 'x'.repeat(4096) }))

test('entries whose text would exceed the maximum of a header can decode, but are not serialized', () => {
  expect(decode('T1023', { entries })).toBe('x'.repeat(4096))
  expect(failure(() => serializeRosetta({ entries }))).toMatchObject({
    code: 'header_too_long',
    offset: 4_194_304,
  })
})

test('an error in an entry precedes that', () => {
  const faulty = [...entries, { term: 'T0', expansion: 'x' }]
  expect(failure(() => serializeRosetta({ entries: faulty }))).toMatchObject({
    code: 'duplicate_term',
    entry: 1024,
  })
})

function failure(run: () => unknown): unknown {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof CodecError)) throw error
    return error
  }
}
