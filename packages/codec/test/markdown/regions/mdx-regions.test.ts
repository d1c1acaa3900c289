import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compress } from '../../../src/compress/compress.ts'
import { buildPack } from '../../../src/pack-builder/build-pack.ts'
import { parseSource } from '../../../src/pack.ts'
import '../../load-o200k-base.ts'
import { decode } from '../../../src/index.ts'
import { findMdxRegions } from '../../../src/markdown/regions/mdx-regions.ts'
import { MINIFY_RULES } from '../../../src/minify/types.ts'
import { countRuns } from '../../../../test-kit/test/count-runs.ts'

const cut = (text: string): string[] => findMdxRegions(text).map(({ start, end }) => text.slice(start, end))

test.each<[string, string, string[]]>([
  [
    'imports up to the blank line',
    'import A from "a"\nimport B from "b"\n\ntext',
    ['import A from "a"\nimport B from "b"\n'],
  ],
  [
    'an export with a blank line in it',
    'export const a = {\n  b: 1,\n\n  c: 2,\n}\n\ntext {x}',
    ['export const a = {\n  b: 1,\n\n  c: 2,\n}\n', '{x}'],
  ],
  ['an import after a heading', '# A\nimport B from "b"', ['import B from "b"']],
  ['no import in the middle of a paragraph', 'We\nimport goods.', []],
  ['no import inside a word', 'importers of goods', []],
  [
    'tags, but not the text between them',
    '<Tip kind="a > b">\n\nSome *text*.\n\n</Tip>',
    ['<Tip kind="a > b">', '</Tip>'],
  ],
  [
    'tags over several lines',
    '<Tabs\n  values={[{a: 1}, {b: "}"}]}\n  on={() => x > 1}\n/>',
    ['<Tabs\n  values={[{a: 1}, {b: "}"}]}\n  on={() => x > 1}\n/>'],
  ],
  ['fragments and names with dots', '<><A.B c/></>', ['<>', '<A.B c/>', '</>']],
  [
    'expressions with texts and comments',
    "a {\"}\" + `}` + '}'} b {/* } don't */} c",
    ['{"}" + `}` + \'}\'}', "{/* } don't */}"],
  ],
  ['expressions in each other', '{a.map((b) => <B c={b}>{d}</B>)}', ['{a.map((b) => <B c={b}>{d}</B>)}']],
  ['an expression with a blank line', '{\n\n  a\n}', ['{\n\n  a\n}']],
  ['no code spans', '`{a}` and ``<B>` {c}`` {d}', ['{d}']],
  ['no fenced code', '```js\nimport a from "a"\n\n<B c={d}>\n```\n\n{e}', ['{e}']],
  ['no escaped characters', '\\{a} \\<B>', []],
  ['no comparisons', 'a < b and c > d, 1 <2', []],
  ['no tag over a blank line', '<Tip\n\nkind="a">', []],
  ['nothing that is not closed', 'a { b\n\nc <D e="f\n\ng', []],
  ['CRLF', 'import A from "a"\r\n\r\n<B\r\n/>\r\n', ['import A from "a"\r\n', '<B\r\n/>']],
])('%s', (_name, text, regions) => {
  expect(cut(text)).toEqual(regions)
})

test('regions of any text are in order and disjoint', () => {
  // prettier-ignore
  const part = fc.constantFrom(
    '<A', '>', '/>', '{', '}', '"', "'", '`', '/*', '*/', '\\', '\n', '\n\n', 'import a', '```', ' ', 'x',
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
      const text = parts.join('')
      let last = -1
      for (const { start, end } of findMdxRegions(text)) {
        expect(start).toBeGreaterThanOrEqual(last)
        expect(end).toBeGreaterThan(start)
        last = end
      }
      expect(last).toBeLessThanOrEqual(text.length)
    }),
    { numRuns: countRuns(100) },
  )
})

test.each([
  ['braces', '{', 300_000],
  ['tags', '<a ', 200_000],
  ['tags with quotes', '<a "', 200_000],
  ['comments', '{/*', 200_000],
  ['quotes in a brace', '{"\'`', 200_000],
  ['escaped quotes', '{`\\`', 200_000],
  ['imports', 'import x\n\n', 50_000],
])('takes linear time for many %s', (_name, part, count) => {
  expect(findMdxRegions(part.repeat(count)).length).toBeLessThanOrEqual(count)
})

describe('a body of MDX', () => {
  const phrase = 'certificate transparency log'
  const program = [
    `import Log from "@site/${phrase}"\nimport Note from "./${phrase}.jsx"\n`,
    `<Note title="The ${phrase}" items={["${phrase}", "${phrase}"]}>`,
    `{/* the ${phrase} */}`,
  ]
  const body = `${program[0]}\n# Logs\n\n${program[1]}\n\n${`Every ${phrase} is public, and a ${phrase} only grows. `.repeat(8)}\n\n</Note>\n\n${program[2]}\n`

  const minify = { off: MINIFY_RULES }

  test.each(['dense-2', 'max-2'] as const)('keeps its program text under %s', (scheme) => {
    const { content, rosetta, entries } = compress(body, {
      scheme,
      minify: { dialect: ['mdx'], off: MINIFY_RULES },
    })
    expect(entries.length).toBeGreaterThan(0)
    for (const part of program) expect(content).toContain(part)
    expect(decode(content, rosetta)).toBe(body)
    expect(program.every((part) => compress(body, { scheme, minify }).content.includes(part))).toBe(false)
  })

  test.each([
    ['a.mdx', true],
    ['a.MDX', true],
    ['a.md', false],
  ])('is known by its path: %s', async (path, isKept) => {
    const { source } = parseSource(body, { path })
    const { pack } = await buildPack(source!, { scheme: 'dense-2', minify })
    expect(program.every((part) => pack!.content.includes(part))).toBe(isKept)
    expect(decode(pack!.content, pack!.rosetta)).toBe(body)
  })
})
