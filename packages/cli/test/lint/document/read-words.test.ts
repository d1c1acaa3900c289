import { describe, expect, it } from 'vitest'
import { Gap } from '../../../src/lint/document/scan-inlines.ts'
import { readDocument } from '../lint-texts.ts'

/** Shows the words with `,` for a break and `.` for the beginning of a sentence before them. */
function showWords(text: string): string {
  const { texts, gaps } = readDocument(text).words
  return texts
    .map((word, at) => `${gaps[at] === Gap.space ? ' ' : gaps[at] === Gap.broken ? ', ' : '. '}${word}`)
    .join('')
    .slice(2)
}

describe('the words of a document', () => {
  it.each([
    ['sentences and commas', 'One two, three. Four', 'One two, three. Four'],
    ['a line ending in a paragraph', 'one\ntwo\n\nthree', 'one two. three'],
    ['emphasis and links', 'a **bold** word and [a link](to/x "t") here', 'a bold word and a link here'],
    ['code', 'use `code` here and `Type`s', 'use, here and'],
    [
      'addresses, paths, identifiers and versions',
      'see https://a.example/b and src/a.ts or snake_case, v1.2 end',
      'see, and, or, end',
    ],
    [
      'HTML, templates and expressions',
      'a <b>word</b> {{< ref "x" >}} then {{ value }} end {props.x}',
      'a, word, then, end',
    ],
    [
      'headings, lists, quotes and tables',
      '# A b\n\n- c d\n\n> e\n\n| f | g |\n| - | - |\n| h i | j |',
      'A b. c d. e. f. g. h i. j',
    ],
    ['hyphens and apostrophes', 'a well-known user’s e-mail', 'a well-known user’s e-mail'],
    ['Japanese', 'サーバーを起動する text とデータ', 'サーバー, text, データ'],
    ['Cyrillic and Hangul', 'Файл открыт, 파일 열기', 'Файл открыт, 파일 열기'],
    ['images', 'a ![picture of it](b.png) c', 'a, c'],
    [
      'imports of MDX',
      "import A from './a'\n\nexport const b = 1\n\nimport your data here",
      'import your data here',
    ],
    ['code of templates', 'a\n\n{% highlight js %}\nlet b = c\n{% endhighlight %}\n\nd', 'a. d'],
    ['a template that is not closed', 'a\n\n{% raw %}\n\nb c', 'a. b c'],
    ['verbatim regions', 'a\n\n<!-- pack:verbatim -->\nb\n<!-- /pack -->\n\nc', 'a. c'],
    ['fenced and indented code', 'a\n\n```\nb\n```\n\n    c\n\nd', 'a. d'],
  ])('of %s', (_, text, words) => {
    expect(showWords(text)).toBe(words)
  })

  it('have the line and column of the file', () => {
    const { words, locate } = readDocument('---\ntitle: T\n---\n\n> one two\n')
    expect(words.starts.map((start) => locate(start))).toEqual([
      { file: 'a.md', line: 5, column: 3 },
      { file: 'a.md', line: 5, column: 7 },
    ])
  })

  it('do not count a byte order mark as a column', () => {
    const { words, locate } = readDocument('\uFEFFone')
    expect(locate(words.starts[0]!)).toEqual({ file: 'a.md', line: 1, column: 1 })
  })
})
