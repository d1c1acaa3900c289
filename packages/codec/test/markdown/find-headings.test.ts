import { expect, test } from 'vitest'
import { findFirstHeading } from '../../src/markdown/find-headings.ts'
import { scanLines } from '../../src/markdown/scan-lines.ts'

const headingOf = (text: string): string | undefined =>
  findFirstHeading(scanLines(text, { frontMatter: false }))

test.each([
  ['none', 'text\n', undefined],
  ['an ATX heading', 'text\n\n ##\tTitle ##  \n# Other', 'Title'],
  ['an ATX heading after a byte order mark', '\uFEFF# Title', 'Title'],
  ['a setext heading', 'Title\n---\n', 'Title'],
  ['a setext heading of several lines', 'A title\nof two lines\n===\n', 'A title of two lines'],
  ['a setext heading after a byte order mark', '\uFEFFTitle\n===', 'Title'],
  ['a setext heading that ends in #', 'Notes on C #\n===', 'Notes on C #'],
  ['a setext heading that begins with a tag', '<b>Title</b>\n===', 'Title'],
  ['a setext heading with pipes', '| Title |\n---\n', '| Title |'],
  ['a definition above the title', '[a]: /b\nTitle\n===', 'Title'],
  ['a heading without words', '#\n## {#id}\n### Title', 'Title'],
  ['marks, links and code', '# The *first* [link](/a) `<T>` &amp; \\*', 'The first link <T> & *'],
  ['lines --- at the start of the text', '---\n# Title\n---\n', 'Title'],
  ['in fenced code', '```\n# code\n```\n# Title', 'Title'],
  ['in fenced code whose fence has backticks in its text', '``` a`b\n# Title', 'Title'],
  ['in a comment', '<!--\n# comment\n-->\n# Title', 'Title'],
  ['in an HTML block', '<div>\n# text\n</div>\n\n# Title', 'Title'],
  ['after a line that only looks like a comment', '    <!--\n\n# Title', 'Title'],
  ['in a block quote', '> # Quoted\n\n# Title', 'Title'],
  ['in a list item', '- # Item\n\n  ## Item\n\n# Title', 'Title'],
  ['beyond the first mebi of units', `${'text\n'.repeat(210_000)}\n# Title`, undefined],
])('%s', (_name, text, expected) => {
  expect(headingOf(text)).toBe(expected)
})

test.each([
  ['one long paragraph above an underline', `${'a\n'.repeat(500_000)}===`, 'a '.repeat(2_000).trim()],
  ['headings without words', '#\n'.repeat(500_000), undefined],
])('takes linear time over %s', { timeout: 20_000 }, (_name, text, expected) => {
  expect(headingOf(text)).toBe(expected)
})
