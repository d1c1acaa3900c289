import { readSource, type DecideOptions } from '@packs/publisher'
import { decideVersion, incrementVersion } from '../../src/version-builder/decide-version.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareVersions } from '@packs/codec/internal'
import { writeSource } from '../sources.ts'

const BODY = '# A\n\nSome text with a [link](https://a.example/).\n\n## B\n\n- one\n- two\n'

const TEXT = 'patch: the structure is the same, text or link targets changed'
const renamed = (name: string): string => `major: the heading "${name}" was removed or renamed`
const ST = 'glossary:\n  - {expansion: some text, term: ST}\n'
const LAYOUT = 'patch: only the layout of the source changed'

function decide(
  [before, fieldsBefore = '']: readonly [string, string?],
  [after, fieldsAfter = '']: readonly [string, string?],
  options: DecideOptions = {},
): readonly [version: string, level: string | null, ...reasons: string[]] {
  const [source, next] = [writeSource('a', before, fieldsBefore), writeSource('a', after, fieldsAfter)].map(
    (text) => readSource({ bytes: Buffer.from(text), path: 'a.md' }).source,
  )
  const { version, level, reasons } = decideVersion(
    next!,
    { version: '1.2.3', source: source!, highest: '1.2.3' },
    options,
  )
  return [version, level, ...reasons]
}

/** Reads the level that a reason begins with, and returns the number that follows 1.2.3 at it. */
function readLevel(reason: string): [version: string, level: string] {
  const [level = ''] = reason.split(':')
  return [{ major: '2.0.0', minor: '1.3.0' }[level] ?? '1.2.4', level]
}

describe('decideVersion', () => {
  it.each([
    ['heading removed', '# A\n\nt\n\n## B\n\nu\n', '# A\n\nt\n\nu\n', renamed('B')],
    ['atx heading renamed', '# A\n\n## B\n', '# A\n\n## C\n', renamed('B')],
    ['setext heading renamed', 'Old\n===\n\nt\n', 'New\n===\n\nt\n', renamed('Old')],
    ['setext becomes atx', 'Name\n====\n\nt\n', '# Name\n\nt\n', LAYOUT],
    ['one of two equal headings removed', '# A\n\n# A\n', '# A\n', renamed('A')],
    ['heading added', '# A\n', '# A\n\n## C\n', 'minor: the heading "C" was added'],
    ['headings moved', '# A\n\na\n\n# B\n\nb\n', '# B\n\nb\n\n# A\n\na\n', 'minor: headings were moved'],
    [
      'heading of another level',
      '# A\n\n## B\n',
      '# A\n\n### B\n',
      'minor: 1 heading of level 2 was removed',
    ],
    ['typo in a heading', '## Instal it\n', '## Install it\n', renamed('Instal it')],
    ['emphasis in a heading', '## Use it\n', '## *Use* it\n', TEXT],
    ['link target in a heading', '## [B](/b)\n', '## [B](/c)\n', TEXT],
    ['CJK heading renamed', '## 設定\n\n文\n', '## 設定方法\n\n文\n', renamed('設定')],
    ['heading in a quote renamed', '> ## B\n', '> ## C\n', TEXT],
    ['heading in a list item added', '- a\n', '- a\n\n  ## B\n', 'minor: 1 heading of level 2 was added'],
    ['number sign in code changed', '```\n# a\n```\n', '```\n# b\n```\n', TEXT],
    ['setext underline in code changed', '    a\n    ===\n', '    b\n    ===\n', TEXT],
    ['paragraph added', '# A\n', '# A\n\nMore.\n', 'minor: 1 paragraph was added'],
    ['typo in a paragraph', '# A\n\nteh text\n', '# A\n\nthe text\n', TEXT],
    ['lines wrapped differently', 'a b\n', 'a\nb\n', LAYOUT],
    ['blank lines and white space at line ends', 'a\n\nb\n', 'a \n\n\n\nb\n\n', LAYOUT],
    ['list item removed', '- one\n- two\n', '- two\n', 'minor: 1 list item was removed'],
    ['list item nested deeper', '- a\n- b\n', '- a\n  - b\n', 'minor: 1 list was added'],
    ['other bullets', '- a\n- b\n', '* a\n* b\n', LAYOUT],
    ['bullets become numbers', '- a\n- b\n', '1. a\n2. b\n', TEXT],
    ['number of the first item', '1. a\n', '3. a\n', TEXT],
    ['task done', '- [ ] a\n', '- [x] a\n', TEXT],
    ['column added', '|a|\n|-|\n|b|\n', '|a|c|\n|-|-|\n|b|d|\n', 'minor: 1 table of 1 columns was removed'],
    ['padding of a table', '|a|b|\n|-|-|\n|c|d|\n', '| a  | b |\n| -- | - |\n| c  | d |\n', LAYOUT],
    ['alignment of a column', '|a|\n|-|\n', '|a|\n|-:|\n', TEXT],
    ['blocks moved', 'a\n\n> b\n', '> b\n\na\n', 'minor: blocks were moved'],
    ['link target changed', '[a](/b)\n', '[a](/c)\n', TEXT],
    ['target of a definition changed', '[a]\n\n[a]: /b\n', '[a]\n\n[a]: /c\n', TEXT],
    ['code block added', 'a\n', 'a\n\n```\nb\n```\n', 'minor: 1 code block was added'],
    ['language of code changed', '```js\na\n```\n', '```ts\na\n```\n', TEXT],
    ['tildes for backticks', '```js\na\n```\n', '~~~~js\na\n~~~~\n', LAYOUT],
    ['HTML block added', 'a\n', 'a\n\n<div>b</div>\n', 'minor: 1 HTML block was added'],
    ['comment added', 'a\n', 'a\n\n<!-- b -->\n', TEXT],
    [
      'footnote added',
      'a[^1]\n\n[^1]: b\n',
      'a[^1] c[^2]\n\n[^1]: b\n\n[^2]: d\n',
      'minor: 1 paragraph was added',
    ],
    ['thematic break added', 'a\n\nb\n', 'a\n\n---\n\nb\n', 'minor: 1 thematic break was added'],
    ['hard break', 'a\nb\n', 'a  \nb\n', LAYOUT],
  ])('%s', (_, before, after, reason) => {
    const [version, level, ...reasons] = decide([before], [after])
    expect(reasons).toContain(reason)
    expect([version, level]).toEqual(readLevel(reason))
  })

  it.each([
    ['a term removed', ST, '', 'major: the glossary term "ST" was removed or changed'],
    [
      'a term of another meaning',
      ST,
      ST.replace('some text', 'one'),
      'major: the glossary term "ST" has another meaning',
    ],
    ['a term added', '', ST, 'minor: the glossary term "ST" was added'],
    ['another scheme', '', 'compression: dense-2\n', 'patch: the scheme changed from minify-1 to dense-2'],
    [
      'a rule without a term',
      '',
      ST.replace('term: ST', 'never: true'),
      'patch: glossary rules without a term changed',
    ],
    ['metadata', '', 'budget: 500\n', 'patch: budget changed'],
    ['a description', '', 'description: About it\n', 'patch: description changed'],
    ['another tag', 'tags: [a, b]\n', 'tags: [a, c]\n', 'patch: tags changed'],
    ['tags in another order', 'tags: [a, b]\n', 'tags: [b, a]\n', 'patch: tags changed'],
    ['a key of another tool', 'menu: {weight: 1}\n', 'menu: {weight: 2}\n', 'patch: metadata changed'],
    ['keys in another order', 'menu: {weight: 1, name: a}\n', 'menu: {name: a, weight: 1}\n', LAYOUT],
    ['a comment in the front matter', '', '# a comment\n', LAYOUT],
  ])('%s', (_, before, after, reason) => {
    expect(decide([BODY, before], [BODY, after])).toEqual([...readLevel(reason), reason])
  })

  it('raises the level with --bump, and never lowers it', () => {
    expect(decide([BODY], [`${BODY}More.`], { bump: 'major' })).toContain(
      'major: raised from patch by --bump',
    )
    expect(decide([BODY], [`${BODY}\nMore.\n`], { bump: 'patch' })).toEqual([
      '1.3.0',
      'minor',
      'minor: 1 paragraph was added',
      '--bump patch was ignored: the changes need minor',
    ])
  })

  it('takes the number named in the front matter, and notes that it is not the highest', () => {
    expect(decide([BODY], [BODY, 'version: "1.0.1"\n'], { bump: 'major', rebuild: true })).toEqual([
      '1.0.1',
      null,
      'the front matter names 1.0.1',
      'it is lower than 1.2.3, the highest so far',
      '--bump major was ignored: the version needs no decision',
      '--rebuild was ignored: the version needs no decision',
    ])
  })

  it('starts with 1.0.0, and decides major if the parent source is not available', () => {
    const { source } = readSource({ bytes: Buffer.from(writeSource('a', BODY)), path: 'a.md' })
    expect(decideVersion(source, undefined)).toMatchObject({ version: '1.0.0', level: null })
    expect(decideVersion(source, { version: '1.2.3', highest: '1.2.3' })).toMatchObject({
      version: '2.0.0',
      level: 'major',
    })
  })

  it.each([
    [
      'more than the newest',
      '# A\n',
      '# A\n\n# B\n',
      '3.0.0',
      renamed('B'),
      'compared with 2.0.0, the latest that readers have',
    ],
    [
      'less than the newest',
      '# A\n\n# B\n',
      '# A\n',
      '3.0.0',
      renamed('B'),
      'compared with 1.0.1, the newest version',
    ],
    ['as much as the newest', '# A\n', '# A\n', '2.0.1', TEXT, 'compared with 1.0.1, the newest version'],
  ])(
    'counts the larger change if the latest version differs %s',
    (_, newest, latest, version, ...reasons) => {
      const [next, source, other] = [`# A\n\nNew.\n`, `${newest}\nOld.\n`, `${latest}\nOld.\n`].map(
        (body) => readSource({ bytes: Buffer.from(writeSource('a', body)), path: 'a.md' }).source,
      )
      const parent = { version: '1.0.1', source: source!, highest: '2.0.0' }
      const decision = decideVersion(next!, { ...parent, latest: { version: '2.0.0', source: other! } })
      expect(decision).toMatchObject({ version, reasons: expect.arrayContaining(reasons) })
    },
  )

  it('compares texts of every size and shape alike', () => {
    for (const filler of ['', 'Some words.\n\n'.repeat(60_000), '>'.repeat(100_000), '['.repeat(60_000)])
      expect(decide([`Old\n===\n\n${filler}`], [`New\n===\n\n${filler}`])).toEqual([
        '2.0.0',
        'major',
        renamed('Old'),
        'minor: the heading "New" was added',
      ])
  })

  it('finds no change between equal texts, and a number above the highest for any two texts', () => {
    const text = fc.string({
      unit: fc.constantFrom('#', ' ', 'a', '\n', '-', '>', '`', '[', ']', '(', ')', '|', '*', '<'),
    })
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(decide([a], [a]).slice(1)).toEqual(['patch', LAYOUT])
        expect(['1.2.4', '1.3.0', '2.0.0']).toContain(decide([a], [b])[0])
      }),
      { numRuns: 200 },
    )
  })
})

describe('version numbers', () => {
  it.each([
    ['1.2.3', 'patch', '1.2.4'],
    ['1.2.3', 'minor', '1.3.0'],
    ['1.2.3', 'major', '2.0.0'],
    ['0.9.9', 'major', '1.0.0'],
    ['1.2.999999999', 'patch', '1.3.0'],
    ['1.999999999.999999999', 'patch', '2.0.0'],
  ] as const)('%s incremented at %s is %s', (version, level, raised) => {
    expect(incrementVersion(version, level)).toBe(raised)
  })

  it('orders versions by number, and incrementing gives a higher one', () => {
    const part = fc.nat(999_999_999)
    const version = fc.tuple(part, part, part)
    fc.assert(
      fc.property(version, version, fc.constantFrom('patch', 'minor', 'major'), (a, b, level) => {
        const at = a.findIndex((number, index) => number !== b[index])
        expect(Math.sign(compareVersions(a.join('.'), b.join('.')))).toBe(
          at < 0 ? 0 : Math.sign(a[at]! - b[at]!),
        )
        expect(compareVersions(incrementVersion(a.join('.'), level), a.join('.'))).toBeGreaterThan(0)
      }),
    )
  })
})
