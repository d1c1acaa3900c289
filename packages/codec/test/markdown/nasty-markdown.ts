import fc from 'fast-check'

// prettier-ignore
const MARKERS = [
  '', '', '', '', ' ', '  ', '   ', '    ', '      ', '\t', '> ', '>', '> > ', '>\t', ' >', '- ', '-', '* ',
  '-\t', '- - ', '1. ', '2. ', '10) ', '1)', '+', '  - ', '   1. ', '    - ', '[^a]: ',
]
// prettier-ignore
const CONTENTS = [
  '', 'foo', 'bar baz', 'foo  ', 'foo\\', '# h', '## h ##', '#', '---', '--', '-', '-   ', '===', '=', '***',
  '* * *', '___', '```', '```js', '~~~', '~~~~', '``` a`b', '<div>', '</div>', '<x>', '<x a="b" c=d>',
  '</x>', '<b>', '<!-- c', '-->', '<!-- c -->', '<?a', '?>', '<!A', '<![CDATA[', ']]>', ']]]>', '<pre>',
  '</pre>', '<script', '</script>', '| a | b |', '| - | - |', '|-|', '|-', 'a | b', '-|-', ':-:', '| a', '|',
  '||', 'a \\| b', 'text | with', '- |', '[a]: b', '[a]:', 'b', '"t"', "'t", '"t" x', '[a]: b "t"', '[a',
  'b]: c', '[a]: <b> (t)', '[^a]: x', '[ ] foo', '[x] foo', '[ ]', '[', ']', '] foo', '> q', '1. x', '2. x',
  '- x', '* x', '1986. x', '- [ ] t', '    ind', '\tind', 'a\tb', '\u2028', '\0', '\ud800',
]
const ENDINGS = ['\n', '\n', '\n', '\n', '\n\n', '\r\n', '\r']
// prettier-ignore
const SYMBOLS = [
  '§', 'AB', '-', '*', '+', '#', '|', '=', '1.', '2. x', '`', '~', '```', '<', '>', '<x>', '<div>', '[x]: y',
  '---', '===', '\\', '-->', '[', ']', ':', '[ ]', '| - |', '    x', '- x', '\t', '',
]

const line = fc
  .tuple(fc.constantFrom(...MARKERS), fc.constantFrom('', '', '', ...MARKERS), fc.constantFrom(...CONTENTS))
  .map((parts) => parts.join(''))

/** Markdown whose lines consist of random markers and block starts. */
export const nastyMarkdown: fc.Arbitrary<string> = fc
  .array(fc.tuple(line, fc.constantFrom(...ENDINGS)), { minLength: 1, maxLength: 9 })
  .chain((lines) =>
    fc.boolean().map((ended) =>
      lines
        .flat()
        .slice(0, ended ? undefined : -1)
        .join(''),
    ),
  )

/** A change of one line: its offset, the number of removed characters, the inserted text. */
export interface LineEdit {
  readonly line: number
  readonly at: number
  readonly removed: number
  readonly inserted: string
}

/** Edits that insert markdown symbols, mostly at the start of a line or of its words. */
export const lineEdits: fc.Arbitrary<LineEdit[]> = fc.array(
  fc.record({
    line: fc.nat(60),
    at: fc.oneof(fc.constant(0), fc.constant(0), fc.nat(12)),
    removed: fc.oneof(fc.constant(0), fc.nat(6)),
    inserted: fc.constantFrom(...SYMBOLS),
  }),
  { minLength: 1, maxLength: 2 },
)

/** Applies edits; keeps the line endings, except those that a removed `\n` or an inserted symbol would create. */
export function editLines(
  text: string,
  edits: readonly LineEdit[],
  bodyStarts?: (line: number) => number,
): string {
  const parts = text.split(/(\r\n|\n|\r)/)
  const count = (parts.length + 1) / 2
  for (const { line: wanted, at, removed, inserted } of edits) {
    const index = wanted % count
    const content = parts[2 * index]!
    const start = Math.min(content.length, (bodyStarts?.(index) ?? 0) + at)
    parts[2 * index] = content.slice(0, start) + inserted + content.slice(start + removed)
  }
  return parts.join('')
}

// prettier-ignore
const TEXTS = [
  'foo bar', '# c', '- x', '1. y', '> q', '    deep', '  two', '', '\tfoo', '```', '~~~', '---', '===',
  '| a | b |', '<div>', '-->', '[a]: b', '* * *', '$ ls', '}', '</x>', '2. z',
]

/** Well-formed nested lists, quotes, fences, HTML and text, containing lines that look like structure. */
export const nestedMarkdown: fc.Arbitrary<string> = fc
  .letrec<{ blocks: string[]; block: string[] }>((tie) => ({
    blocks: fc
      .array(fc.tuple(tie('block'), fc.boolean()), { minLength: 1, maxLength: 3 })
      .map((blocks) => blocks.flatMap(([lines, loose]) => (loose ? [...lines, ''] : lines))),
    block: fc.oneof({ maxDepth: 4, depthSize: 'small' }, paragraph(), fence(), html(), quote(tie), list(tie)),
  }))
  .blocks.map((lines) => lines.slice(0, 40).join('\n'))

function paragraph(): fc.Arbitrary<string[]> {
  return fc.array(fc.constantFrom('foo bar', 'baz qux', '[l](u) x', 'a | b', '`c` d'), {
    minLength: 1,
    maxLength: 3,
  })
}

function fence(): fc.Arbitrary<string[]> {
  const code = fc.array(fc.tuple(fc.constantFrom(...TEXTS), fc.boolean()), { maxLength: 4 })
  return fc
    .tuple(fc.constantFrom('```', '~~~', '````'), fc.nat(3), code, fc.boolean())
    .map(([mark, indent, lines, closed]) => {
      const space = ' '.repeat(indent)
      const inside = lines.map(([text, indented]) => (indented ? space + text : text))
      return [`${space}${mark}js`, ...inside, ...(closed ? [space + mark] : [])]
    })
}

function html(): fc.Arbitrary<string[]> {
  return fc
    .tuple(
      fc.constantFrom('<div>', '<!-- x', '<pre>', '<x>'),
      fc.array(fc.constantFrom(...TEXTS), { maxLength: 3 }),
    )
    .map(([open, lines]) => [open, ...lines, open === '<!-- x' ? '-->' : '</pre>'])
}

function quote(tie: fc.LetrecTypedTie<{ blocks: string[]; block: string[] }>): fc.Arbitrary<string[]> {
  return fc
    .tuple(tie('blocks'), fc.nat(20))
    .map(([lines, lazy]) => lines.map((text, index) => (index === lazy ? text : `> ${text}`)))
}

function list(tie: fc.LetrecTypedTie<{ blocks: string[]; block: string[] }>): fc.Arbitrary<string[]> {
  const marker = fc.constantFrom('- ', '* ', '1. ', '-   ', '10) ', '-\t')
  return fc
    .tuple(marker, fc.array(tie('blocks'), { minLength: 1, maxLength: 3 }))
    .map(([mark, items]) => items.flatMap((lines) => indentItem(mark, lines)))
}

function indentItem(mark: string, lines: readonly string[]): string[] {
  const indent = mark === '-\t' ? '\t' : ' '.repeat(mark.length)
  return lines.map((text, index) => (index === 0 ? mark + text : text === '' ? '' : indent + text))
}
