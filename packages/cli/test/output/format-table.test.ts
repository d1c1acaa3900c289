import { describe, expect, it } from 'vitest'
import { formatCount, formatPercent, formatTable } from '../../src/output/terminal.ts'

describe('formatTable', () => {
  it('aligns columns without trailing spaces', () => {
    expect(
      formatTable(
        ['name', '>n', 'note'],
        [
          ['a', '1,000', ''],
          ['longer', '2', 'x'],
        ],
      ),
    ).toEqual(['name        n  note', 'a       1,000', 'longer      2  x'])
  })
})

describe('formatCount', () => {
  it.each([
    [0, '0'],
    [999, '999'],
    [1000, '1,000'],
    [16_777_216, '16,777,216'],
    [-1234, '-1,234'],
  ])('writes %d as %s', (count, text) => expect(formatCount(count)).toBe(text))
})

describe('formatPercent', () => {
  it('has one decimal', () => {
    expect([7, -1.234, -0.005].map(formatPercent)).toEqual(['7.0 %', '-1.2 %', '0.0 %'])
  })
})
