import fc from 'fast-check'

// prettier-ignore
const LINES = [
  '# Setup', '## Setup', '### Deep ###', '###### Deepest', '#', '## {#own}', '## Named {#own}', '# Setup-1',
  '## `code` and *words* {#a.b:c}', '## 設定 と 使い方', '   ## indented', 'The machine learning model', 'A title',
  '===', '---', '```', '~~~js', '<div>', '</div>', '<!-- a', '-->', '> # quoted', '- # item', '[^1]: # note',
  '[a]: /b', '', '', 'the machine learning model of the web, and 機械学習モデルの設定',
  'of the machine learning model for the web', 'AB§ and MLM', '\uFEFF', ' \t',
]

/** Markdown of headings, fences, HTML, quotes, explicit ids, repeated titles and CJK, with all line endings. */
export const sectionDocuments: fc.Arbitrary<string> = fc
  .array(fc.tuple(fc.constantFrom(...LINES), fc.constantFrom('\n', '\n', '\n\n', '\r\n', '\r')), {
    maxLength: 40,
  })
  .map((lines) => lines.flat().join(''))
