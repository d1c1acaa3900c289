import fc from 'fast-check'
import { DIALECTS, type Dialect } from '../../src/minify/types.ts'
import { nastyInlines } from '../markdown/nasty-inlines.ts'
import { nastyMarkdown, nestedMarkdown } from '../markdown/nasty-markdown.ts'
import { BLOCKS, COMMENTS, HTML, LINKS, LONG } from './nasty-inputs.ts'

// prettier-ignore
const WORDS = [
  'a', 'b', 'word', 'two words', '.', ',', ')', '(', '*', '**', '_', '~', '`', '[', ']', '!', '\\', '&', '#', '1', '<', '>', '|', ':',
  ' ', ' ', ' ', '  ', '\t', '\n', '\n', '<!-- a comment -->', '<!-- b -->', '<!---->', '<!-->', '<!--', '-->', '<!-- a\nb -->',
  '<!-- md:x y -->', '<!--! c -->', '<span>', '</span>', '<span class="row">', '<span class="warning">', '<b id="x">', '</b>',
  '<a name="x"></a>', '<a href="y">', '</a>', '<div align="center">', '</div>', '<br>', '<img src="x.png" alt="b">',
  `<img src="${LONG}" alt="b c" width="2">`, `[a](${LONG})`, `![a](${LONG} "t")`, `[b](<${LONG} d>)`, '[c](d)', '[e](7)', '[a][x]', '[x]', '![x][]',
  '[y][Z]', '[z]', '[^n]', '`code`', '`` ` ``', '*em*', '_em_', '**bold**', '~~gone~~', '$x$', '&eacute;', '&mdash;', '&#42;', '&lt;', '&amp;',
  'https://a.b/c', 'me@a.bc', 'www.a.b', '{/* a comment */}', '%% a comment %%', '{{/* a comment */}}', '[[Target|shown words]]', '[[n]]', '{#id}',
  '{: .x }', '{: .no_toc }', '{{ x }}', '<Tabs>', '</Tabs>', '<Note/>', '<code>', '</code>', '<kbd>', '</kbd>', '\u00e9', '\u4e2d\u6587',
]
// prettier-ignore
const LINES = [
  '', '', '', '', '', '# Heading', '## A b ##', 'Heading\n=======================', 'A b\n---', 'Two\nlines\n===', '- item', '- [A b](#a-b)', '- [Heading](#heading)',
  '* item', '1. item', '2. item', '  more', '    deep', '      deeper', '> quote', '>', '> - item', '- > quote', '***', '* * *', '---------------------', '___',
  '```', '~~~', '<div>', '</div>', '<div align="center">', '<div class="options-api">', '  <div>', '<p align="center">', '</p>', '<p>One</p><p>Two</p>',
  '<pre>', '</pre>', '<table>', '</table>', '<tr><td>', '<details>', '</details>', '<summary>a</summary>', '<center>Words</center>', '<script>', '</script>', '<style>a</style>',
  '<script setup>', "const v = '3.4'", 'export const v = 1', "import A from 'a'", 'import words', '{v}', '<Tabs>', '</Tabs>', '<Note>', '</Note>',
  '<!-- a comment -->', '  <!-- a comment -->', '    <!-- a comment -->', '<!-- a', 'b -->', '<!-- pack:verbatim -->', '<!-- /pack -->', '<!-- --> text',
  '| a    | b |', '|------|---|', '|:-----|--:|', '| c\\|d |   e |', 'a   |   b', '----|----', `[x]: ${LONG} "t"`, `[Y]: <${LONG} b>`, `[z]: ${LONG}\n'title'`, '[unused]: /u', '[^n]: note', '    more of it',
  `<img src="${LONG}" alt="b">`, '<a id="x"></a>', '{/* a comment */}', '%% a comment %%', '{{/* a comment */}}', '{: .x }', '::: tip', ':::', '!!! note', '    inside', ...['a', 'b'].map((name) => `[${name}](${LONG}/${name})`),
]

const words = fc
  .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 10 })
  .map((parts) => parts.join(''))
const line = fc.oneof(
  { arbitrary: fc.constantFrom(...LINES), weight: 3 },
  words,
  fc.tuple(fc.constantFrom('- ', '> ', '  ', '# ', '| ', '1. ', ''), words).map((parts) => parts.join('')),
)
const lines = fc.array(line, { minLength: 1, maxLength: 14 }).map((all) => all.join('\n'))

const rows = [...COMMENTS, ...LINKS, ...HTML, ...BLOCKS].map(([, input]) => input)
/** Two of the inputs that broke something, below each other or in a container. */
const pairs = fc
  .tuple(
    fc.constantFrom(...rows),
    fc.constantFrom('\n', '\n\n', '\n\n\n', '\n> ', '\n- ', '\n  '),
    fc.constantFrom(...rows),
  )
  .map((parts) => parts.join(''))
const nested = fc
  .tuple(fc.constantFrom('> ', '- ', '1. ', '  '), fc.oneof(fc.constantFrom(...rows), lines))
  .map(
    ([marker, text]) =>
      marker + text.replaceAll('\n', `\n${marker === '> ' ? marker : ' '.repeat(marker.length)}`),
  )

/** Pages of which minify would like to leave something out, and that do not make it easy. */
export const nastyPages: fc.Arbitrary<string> = fc.oneof(
  { arbitrary: lines, weight: 5 },
  { arbitrary: nested, weight: 2 },
  { arbitrary: pairs, weight: 2 },
  nastyInlines,
  nastyMarkdown,
  nestedMarkdown,
)

/** No dialect, one or two. */
export const dialects: fc.Arbitrary<Dialect[]> = fc.oneof(
  fc.constant<Dialect[]>([]),
  fc.constantFrom(...DIALECTS).map((one) => [one]),
  fc.uniqueArray(fc.constantFrom(...DIALECTS), { maxLength: 2 }),
)
