import { expect, it } from 'vitest'
import { freeArrays } from '../../../src/compress/text/typed-arrays.ts'

it('empties large arrays only, and no others', () => {
  const large = new Int32Array(1 << 18).fill(7)
  const part = new Float64Array(1 << 18).subarray(0, 1 << 17)
  const small = Int32Array.of(1, 2, 3)
  const other = new Int32Array(1 << 18).fill(7)
  freeArrays(large, part, small)
  expect([large.length, part.length, part.buffer.byteLength]).toEqual([0, 0, 0])
  expect([...small]).toEqual([1, 2, 3])
  expect(other.every((value) => value === 7)).toBe(true)
})

it('accepts an array twice', () => {
  const array = new Uint8Array(1 << 20)
  freeArrays(array, array)
  freeArrays(array)
  expect(array.byteLength).toBe(0)
})
