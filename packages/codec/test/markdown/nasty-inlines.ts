import fc from 'fast-check'

// prettier-ignore
const PIECES = [
  '[', '[', '[', ']', ']', ']', '](', '](', '][', '[]', '![', '!', '(', ')', ')', '<', '>', '`', '`', '``', '```', '\\',
  '\\', '"', "'", ' ', ' ', ' ', '\n', '\n', '\t', 'a', 'b', 'A', 'foo', '[a]', '[foo]', '[b](', '[^a]', '![^a]', '[^foo]', '[^',
  'a](b', '(<', '>)', '<a b>', '<b', '=', 'c="', "d='", '/>', '</b>', '</', '<!--', '-->', '--', '-', '<!-->', '<!--->',
  '<?', '?>', '<!A', '<![CDATA[', ']]>', '<http://a>', '<a:b>', '<a@b.c>', 'http://a.b', 'https://a', 'www.a.b', 'www.',
  'a@b.c', '@', '.', '_', '__', '*', '**', '~', ':', ';', '&amp;', '&', ',', '?', '/', '//', '{', '|', '\u00e9', '\u2028', '\u00a0',
  '\0', '#', '1', 'http://', '[x](y)', '![x](y "t")', '(y \'t\')', '(', '((', '))', 'mailto:a@b.c', 'HTTP://B.c_d.e', '\\[', '\\]', '\\`', '\\!',
]
const DEFINITIONS = [
  '',
  '',
  '\n\n[a]: b',
  '\n\n[foo]: <b c> "t"\n[ b ]: c',
  '\n\n[^a]: x\n\n[a]: y',
  '\n\n[^foo]: x',
]
const STARTS = ['', '', '', '# ', '> ', '- ', '- [x] ', '1. > ', '| a | b |\n|-|-|\n| ']

/** Text in which brackets, quotes, tags and addresses meet, as paragraph, heading, item or table row. */
export const nastyInlines: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom(...STARTS),
    fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 14 }),
    fc.constantFrom(...DEFINITIONS),
  )
  .map(([start, pieces, definitions]) => start + pieces.join('') + definitions)
