import { describe, expect, it } from 'vitest'
import { formatCount, formatPercent, formatTable, measureText, wrapText } from '../../src/output/terminal.ts'

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

it('keeps the names of rows readable, and omits the last columns instead', () => {
  const rows = [['payments-api-reference', '19.2 %', '████████░░']]
  expect(formatTable(['pack', '>less', '>bar'], rows, 32)[1]).toBe('payments-api-reference  19.2 %')
})

describe('a table in a terminal', () => {
  const rows = [
    ['guides-'.repeat(14), '███░░', '1,000 → 300', 'minify-1'],
    ['中国茶入门：分类、冲泡与品鉴', '████░', '20 → 10', 'dense-2'],
    ['العناية بنخيل التمر', '█████', '5 → 5', 'none'],
  ]

  it.each([20, 40, 80, 160])('fits %d columns', (columns) => {
    const lines = formatTable(['pack', '>bar', '>tokens', 'scheme'], rows, columns)
    const widths = lines.map(measureText)
    expect(Math.max(...widths)).toBeLessThanOrEqual(Math.max(columns, 8))
    // Letters of two columns do not move the next one.
    const bars = lines.slice(1, 3).map((line) => measureText(line.slice(0, line.search(/[█░]/))))
    expect(new Set(bars).size).toBe(1)
    expect(lines[1]).toMatch(columns < 160 ? /^gui.*….*s- / : /^(?:guides-){14} /)
    expect(lines[3]).toMatch(/^\u2068.*\u2069/)
  })

  it('has everything where there is none', () => {
    const [, first, , third] = formatTable(['pack', '>bar', '>tokens', 'scheme'], rows, Infinity)
    expect(first).toBe(`${rows[0]!.join('  ')}`)
    expect(third).not.toContain('\u2068')
  })
})

it.each([
  ['中国茶', 6],
  ['e\u0301', 1],
  ['\u001B[1mab\u001B[22m', 2],
  ['👩‍👩‍👧 x', 4],
])('measures %j', (text, columns) => expect(measureText(text)).toBe(columns))

it('wraps between words, at wide letters too, and keeps a number with its %', () => {
  expect(wrapText('one 20.8 % less', 9)).toBe('one\n  20.8 %\n  less')
  expect(wrapText('one two three', 8)).toBe('one two\n  three')
  expect(wrapText('茶茶 茶茶 茶茶', 9, '')).toBe('茶茶 茶茶\n茶茶')
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
