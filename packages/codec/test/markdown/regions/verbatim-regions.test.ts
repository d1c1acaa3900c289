import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findVerbatimRegions } from '../../../src/markdown/regions/verbatim-regions.ts'

const regionsOf = (text: string): string[] =>
  findVerbatimRegions(text).map(({ start, end }) => text.slice(start, end))

const OPEN = '<!-- pack:verbatim -->'
const CLOSE = '<!-- /pack -->'
const REGION = `${OPEN}\nkeep\n${CLOSE}`

test.each([
  ['nothing', 'plain\n', []],
  ['one region', `a\n${REGION}\nb`, [REGION]],
  ['two regions', `${REGION}\n\n${REGION}`, [REGION, REGION]],
  ['CRLF', `a\r\n${OPEN}\r\nkeep\r\n${CLOSE}\r\n`, [`${OPEN}\r\nkeep\r\n${CLOSE}`]],
  [
    'no spaces in the comment',
    '<!--pack:verbatim-->x\n<!--pack:verbatim-->\nx\n<!--/pack-->',
    ['<!--pack:verbatim-->\nx\n<!--/pack-->'],
  ],
  ['indented, as in a list', `- a\n    ${OPEN}\n    b\n    ${CLOSE}`, [`${OPEN}\n    b\n    ${CLOSE}`]],
  ['unclosed: to the end', `a\n${OPEN}\nb\n`, [`${OPEN}\nb\n`]],
  ['nested: the outer one', `${OPEN}\na\n${REGION}\nb\n${CLOSE}\nc`, [`${OPEN}\na\n${REGION}\nb\n${CLOSE}`]],
  ['stray closing', `${CLOSE}\n${REGION}\n${CLOSE}`, [REGION]],
  ['not on a line of its own', `see ${OPEN}\nb\n${CLOSE}`, []],
  ['inside a fence', `\`\`\`md\n${REGION}\n\`\`\`\n`, []],
  ['inside a longer fence', `~~~~\n~~~\n${REGION}\n~~~~\n${REGION}`, [REGION]],
  ['inside a fence in a list', `1. x\n\n   \`\`\`\n   ${OPEN}\n   \`\`\`\n${REGION}`, [REGION]],
  ['a fence ends with its list', `- x\n\n      \`\`\`\n      y\n\n${REGION}`, [REGION]],
  ['a fence ends with its quote', `> \`\`\`\n> y\n\n${REGION}`, [REGION]],
  ['a fence opened beside a marker', `- \`\`\`\n  ${OPEN}\n  \`\`\`\n${REGION}`, [REGION]],
  ['backticks in the info string make no fence', `\`\`\` a\`b\n${REGION}`, [REGION]],
  ['a fence ends left of the text of its item', `- x\n\n  \`\`\`\n${REGION}`, [REGION]],
  ['four spaces make no closing fence', `\`\`\`\n    \`\`\`\n${REGION}\n\`\`\`\n`, []],
  ['the mark of a quote makes no closing fence', `\`\`\`\n> \`\`\`\n${REGION}\n\`\`\`\n`, []],
  ['four spaces make no opening fence', `    \`\`\`\n    ${OPEN}\n    ${CLOSE}`, [`${OPEN}\n    ${CLOSE}`]],
  ['no fence opens in an HTML block', `<div>\n\`\`\`\n</div>\n\n${REGION}`, [REGION]],
  ['an item numbered 2 does not interrupt a paragraph', `x\n2. \`\`\`\n   ${CLOSE}\n${REGION}`, [REGION]],
  ['lines --- at the start of the text', `---\n\`\`\`\n---\n${REGION}`, []],
  ['an unknown directive is no region', '<!-- pack:keep -->\na\n<!-- /pack -->', []],
])('%s', (_name, text, expected) => {
  expect(regionsOf(text)).toEqual(expected)
})

test('regions are disjoint, in order, and begin with an opening comment', () => {
  const line = fc.constantFrom(
    OPEN,
    CLOSE,
    '```',
    '~~~',
    'text',
    '',
    '> ```',
    '  - ```',
    `x ${OPEN}`,
    '<!-- pack:x -->',
  )
  fc.assert(
    fc.property(fc.array(line), fc.constantFrom('\n', '\r\n', '\r'), (lines, newline) => {
      const text = lines.join(newline)
      let last = 0
      for (const { start, end } of findVerbatimRegions(text)) {
        expect(start).toBeGreaterThanOrEqual(last)
        expect(text.startsWith(OPEN, start)).toBe(true)
        expect(text.slice(start, end).endsWith(CLOSE) || end === text.length).toBe(true)
        last = end
      }
    }),
  )
})

test.each([
  ['white space without end', `<!-- pack:${' \t'.repeat(500_000)}`],
  ['openings without end', '<!--'.repeat(500_000)],
  ['markers without a fence', `<!-- pack:x -->\n${'1. '.repeat(500_000)}\`\`\``],
  ['fences without end', `<!-- pack:x -->\n${'- ```\n'.repeat(200_000)}`],
])('takes linear time over %s', { timeout: 20_000 }, (_name, text) => {
  expect(findVerbatimRegions(text)).toEqual([])
})
