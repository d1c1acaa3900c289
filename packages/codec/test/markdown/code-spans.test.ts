import { describe, expect, test } from 'vitest'
import { CodeSpans, countBackticks } from '../../src/markdown/inlines/inline-html.ts'

describe('CodeSpans', () => {
  test.each([
    ['`b c` d', 5],
    ['``a`b`` c', 7],
    ['`b\nc` d', 5],
    ['`b', -1],
    ['``b` c', -1],
  ])('%j', (text, end) => {
    expect(new CodeSpans(text).findEnd(0)).toBe(end)
  })

  test('nothing after the end of the text', () => {
    expect(new CodeSpans('`a b`', 4).findEnd(0)).toBe(-1)
  })

  test('backtick runs of many lengths take linear time', { timeout: 60_000 }, () => {
    const text = Array.from({ length: 3_000 }, (_, length) => `${'`'.repeat(length % 300)} `).join('')
    const spans = new CodeSpans(text)
    let found = 0
    for (let at = text.indexOf('`'); at >= 0; at = text.indexOf('`', at + countBackticks(text, at))) {
      if (spans.findEnd(at) >= 0) found++
    }
    expect(found).toBe(2_691)
  })
})
