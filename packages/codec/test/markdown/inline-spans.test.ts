import { describe, expect, test } from 'vitest'
import { CodeSpans, readResourceEnd, readTagEnd } from '../../src/markdown/inline-spans.ts'
import { listPairs } from '../../../test-kit/test/list-pairs.ts'

describe('readTagEnd', () => {
  test.each(
    listPairs([
      [5, '<kbd>a', '<?a?> b'],
      [6, '</kbd>a'],
      [14, '<a href="x>y">z', '<!-- a > b --> c'],
      [13, '<https://a.b> c'],
      [-1, '<!-- a > b', '< b > c', '<a <b>', '<a "b>', `<${'a'.repeat(2_047)}>`],
      [2_048, `<${'a'.repeat(2_046)}>`],
    ]),
  )('%j', (text, end) => {
    expect(readTagEnd(text, 0, text.length)).toBe(end)
  })

  test('reads nothing after the end', () => {
    expect(readTagEnd('<kbd>', 0, 4)).toBe(-1)
  })
})

describe('readResourceEnd', () => {
  test.each([
    ['() a', 2],
    ['(c) d', 3],
    ['(c "d e") f', 9],
    ["(c 'd)') e", 8],
    ['(<c d>) e', 7],
    ['(<c\nd>) e', -1],
    ['(c(d)) e', 6],
    ['(c\\)) d', 5],
    ['(b c) d', -1],
    ['(b', -1],
    ['(b "c', -1],
    [`(b "${'c'.repeat(511)}")`, 517],
    [`(b "${'c'.repeat(513)}")`, -1],
  ])('%j', (text, end) => {
    expect(readResourceEnd(text, 0, text.length)).toBe(end)
  })
})

describe('CodeSpans', () => {
  test.each([
    ['`b c` d', 5],
    ['``a`b`` c', 7],
    ['`b\nc` d', 5],
    ['`b', -1],
    ['``b` c', -1],
  ])('%j', (text, end) => {
    const spans = new CodeSpans(text)
    spans.load(0, text.length)
    expect(spans.findEnd(0)).toBe(end)
  })
})

describe('bounded time', () => {
  test.each([
    ['destinations in brackets without an end', '](<'.repeat(300_000), '(', readResourceEnd],
    ['destinations without an end', '](a'.repeat(300_000), '(', readResourceEnd],
    ['titles without an end', '](a ('.repeat(100_000), '(', readResourceEnd],
    ['links without an end', '](a '.repeat(300_000), '(', readResourceEnd],
    ['tags without an end', '<a "'.repeat(250_000), '<', readTagEnd],
    ['comments without an end', '<!-- '.repeat(50_000), '<', readTagEnd],
  ])('%s', { timeout: 60_000 }, (_name, text, mark, readEnd) => {
    let found = 0
    for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) {
      if (readEnd(text, at, text.length) >= 0) found++
    }
    expect(found).toBe(0)
  })

  test('backtick runs of many lengths', { timeout: 60_000 }, () => {
    const text = Array.from({ length: 3_000 }, (_, length) => `${'`'.repeat(length % 300)} `).join('')
    const spans = new CodeSpans(text)
    spans.load(0, text.length)
    let found = 0
    for (let at = text.indexOf('`'); at >= 0; at = text.indexOf('`', at + spans.runLength(at))) {
      if (spans.findEnd(at) >= 0) found++
    }
    expect(found).toBe(2_691)
  })
})
