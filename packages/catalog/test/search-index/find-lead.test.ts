import { expect, it } from 'vitest'
import { findLead } from '../../src/search-index/describe-version.ts'

const leads: readonly (readonly [name: string, text: string, lead: string])[] = [
  ['the first sentence', '# Title\n\nOne sentence. Another one.\n', 'One sentence.'],
  ['a sentence over two lines', 'One\nsentence here. Another.', 'One sentence here.'],
  ['a paragraph without a full stop', 'Keys and certificates\n\nMore.', 'Keys and certificates'],
  [
    'text without markup',
    'Run **`npm i`** in the [folder](https://x.test/a). Then',
    'Run npm i in the folder.',
  ],
  ['an abbreviation', 'Ciphers, e.g. AES, hide data. Others do not.', 'Ciphers, e.g. AES, hide data.'],
  ['Chinese', '# 题\n\n这是第一句。这是第二句。', '这是第一句。'],
  [
    'a sentence rather than a list of links',
    '[TOC]\n\nProcess: [Main](a.md)\n\nA window of the app. Another.',
    'A window of the app.',
  ],
  ['text after badges', '[![CI](a.svg)](b)\n![x][y]\n\nThe tool. It works.', 'The tool.'],
  ['text after code, tables and HTML', '```\na b.\n```\n\n| a |\n| - |\n| b |\n\n<p>c</p>\n\nText.', 'Text.'],
  ['a paragraph rather than a list', '- [One](#one)\n- [Two](#two)\n\nText here.', 'Text here.'],
  ['a list without a paragraph', '# Title\n\n- first item\n- second', 'first item'],
  ['an address', 'See <https://x.test/a_b>. More.', 'See https://x.test/a_b.'],
  ['a quote without its mark', '> [!NOTE]\n> Keep it. Now.', 'Keep it.'],
  ['nothing of headings', '# Title\n\n## Other\n', ''],
  ['nothing of an empty text', '', ''],
  ['no characters that a database rejects', 'A\0b. C', 'A\uFFFDb.'],
]

for (const [name, text, lead] of leads) {
  it(`finds ${name}`, () => {
    expect(findLead(text, false)).toBe(lead)
  })
}

it('marks a sentence that the preview cuts', () => {
  expect(findLead('One sentence that goes', true)).toBe('One sentence that goes …')
  expect(findLead('One sentence.', true)).toBe('One sentence.')
  expect(findLead('Some words\n\nOther', true)).toBe('Some words')
})

it('cuts a long sentence between words, at 200 code points', () => {
  const lead = findLead('𝕊ecure '.repeat(100), false)
  expect(Array.from(lead).length).toBeLessThanOrEqual(200)
  expect(lead).toMatch(/ 𝕊ecure…$/u)
  expect(findLead('𠀀'.repeat(300), false)).toBe(`${'𠀀'.repeat(199)}…`)
})
