import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { outlineSections, type Section, splitSections } from '../../src/sections/split-sections.ts'
import { loadTokenizer } from '../../src/tokens/load-tokenizer.ts'
import { parseMarkdown } from '../markdown/block-tree.ts'
import { nastyMarkdown, nestedMarkdown } from '../markdown/nasty-markdown.ts'
import { readCorpus } from '../tokens/corpus.ts'
import { countTokens } from '../tokens/count-by-library.ts'
import { sectionDocuments } from './section-documents.ts'
import { countRuns } from '../../../test-kit/test/count-runs.ts'

const textsOf = (body: string): string[] =>
  splitSections(body).map(({ start, end }) => body.slice(start, end))
const idsOf = (body: string): string[] => splitSections(body).map(({ id }) => id)
const titlesOf = (body: string): string[] => splitSections(body).map(({ title }) => title)

/** Asserts what holds for the sections of every body. */
function expectSound(body: string, sections: readonly Section[]): void {
  expect(sections.map(({ start, end }) => body.slice(start, end)).join('')).toBe(body)
  expect(new Set(sections.map(({ id }) => id)).size).toBe(sections.length)
  for (const [index, { id, title, level, path, start, end, subtreeEnd }] of sections.entries()) {
    expect(start).toBe(sections[index - 1]?.end ?? 0)
    expect(end).toBeGreaterThan(start)
    expect(id).toMatch(/^(?:~intro|[\p{L}\p{M}\p{N}_.:-]+)$/u)
    expect(id === '~intro').toBe(level === 0)
    expect(path.length).toBeLessThanOrEqual(level)
    expect(path.at(-1) ?? '').toBe(title)
    const after = sections.slice(index + 1).find((other) => other.level <= level)
    expect(subtreeEnd).toBe(level === 0 ? end : (after?.start ?? body.length))
  }
}

describe('where sections begin', () => {
  test.each<[string, string, string[]]>([
    ['an empty body', '', []],
    ['a body without headings', 'text\n', ['text\n']],
    ['a body of white space', ' \n', [' \n']],
    ['text before the first heading', 'text\n\n# A\na\n# B', ['text\n\n', '# A\na\n', '# B']],
    ['white space before the first heading', ' \n\n# A\n', [' \n\n# A\n']],
    ['a byte order mark before the first heading', '\uFEFF\n# A\n# B', ['\uFEFF\n# A\n', '# B']],
    ['a byte order mark on the first heading', '\uFEFF# A\n# B', ['\uFEFF# A\n', '# B']],
    ['a setext heading of several lines', 'a\n\nB\nb\n===\nc', ['a\n\n', 'B\nb\n===\nc']],
    ['a setext heading after definitions', '[a]: /b\nB\n---\nc', ['[a]: /b\n', 'B\n---\nc']],
    ['all line endings', '# A\r\na\r# B\n# C', ['# A\r\na\r', '# B\n', '# C']],
    ['an indented heading', '# A\n   # B\n    # code', ['# A\n', '   # B\n    # code']],
    ['headings in fences', '# A\n```\n# b\n```\n# C', ['# A\n```\n# b\n```\n', '# C']],
    ['headings in HTML', '# A\n<div>\n# b\n</div>\n\n# C', ['# A\n<div>\n# b\n</div>\n\n', '# C']],
    ['headings in comments', '<!--\n# a\n-->\n# B', ['<!--\n# a\n-->\n', '# B']],
    [
      'headings in quotes and lists',
      '# A\n> # b\n\n- # c\n\n  c\n---\n',
      ['# A\n> # b\n\n- # c\n\n  c\n---\n'],
    ],
    ['headings in footnotes', '# A\n\n[^1]: # b\n', ['# A\n\n[^1]: # b\n']],
    ['lines --- at the start', '---\n# A\n---\n# B', ['---\n', '# A\n---\n', '# B']],
  ])('%s', (_name, body, expected) => {
    expect(textsOf(body)).toEqual(expected)
  })

  test('text before the first heading is ~intro', () => {
    const intro = { id: '~intro', title: '', level: 0, path: [], start: 0, end: 6, subtreeEnd: 6 }
    expect(splitSections('text\n\n# A\n')[0]).toEqual(intro)
  })

  test('at the same lines as root headings of the reference parser', () => {
    fc.assert(
      fc.property(fc.oneof(nastyMarkdown, nestedMarkdown, sectionDocuments), (body) => {
        // With front matter the reference parser reads another text, and it drops a byte order mark.
        fc.pre(!body.startsWith('---') && !body.startsWith('\uFEFF'))
        const expected = readHeadings(body)
        const first = expected[0]
        if (first !== undefined && body.slice(0, first.start).trim() === '') first.start = 0
        const found = splitSections(body).filter(({ id }) => id !== '~intro')
        expect(found.map(({ level, start }) => ({ level, start }))).toEqual(expected)
      }),
      { numRuns: countRuns(200) },
    )
  })
})

/** Root headings of the reference parser. It counts definitions directly above a setext heading as part of it. */
function readHeadings(body: string): { level: number; start: number }[] {
  const starts = [0, ...Array.from(body.matchAll(/\r\n|\n|\r/g), ({ 0: end, index }) => index + end.length)]
  const { children } = parseMarkdown(body)
  const definitions = children.filter(({ type }) => type === 'definition')
  return children.flatMap((node) => {
    if (node.type !== 'heading') return []
    const { start, end } = node.position!
    const above = definitions
      .map(({ position }) => position!)
      .filter((other) => other.start.line >= start.line && other.end.line < end.line)
    const line = Math.max(start.line, ...above.map((other) => other.end.line + 1))
    return [{ level: node.depth, start: starts[line - 1]! }]
  })
}

describe('paths and subtrees', () => {
  const body = 'x\n# A\n## B\n#### C\n### D\n## E\n# F\n'
  const sections = splitSections(body)

  test('a path has the headings above by level', () => {
    expect(sections.map(({ path }) => path.join('/'))).toEqual(['', 'A', 'A/B', 'A/B/C', 'A/B/D', 'A/E', 'F'])
  })

  test('a subtree ends at the next heading of the same or a higher level', () => {
    // prettier-ignore
    expect(sections.map(({ start, subtreeEnd }) => body.slice(start, subtreeEnd))).toEqual([
      'x\n', '# A\n## B\n#### C\n### D\n## E\n', '## B\n#### C\n### D\n', '#### C\n', '### D\n', '## E\n',
      '# F\n',
    ])
  })

  test('a heading without words has an empty position in the path', () => {
    expect(splitSections('#\n## B\n').map(({ path }) => path)).toEqual([[''], ['', 'B']])
  })
})

describe('titles and ids', () => {
  test.each<[string, string, string]>([
    ['# Hello, World!', 'Hello, World!', 'hello-world'],
    ['# The *first* [link](/a) `f(x)` &amp; \\*', 'The first link f(x) & *', 'the-first-link-fx--'],
    ['## snake_case & kebab-case ##', 'snake_case & kebab-case', 'snake_case--kebab-case'],
    ['# 設定 と ÄÖ ٣', '設定 と ÄÖ ٣', '設定-と-äö-٣'],
    ['# हिन्दी', 'हिन्दी', 'हिन्दी'],
    ['# \u{10400}\u{1F600} ok', '\u{10400}\u{1F600} ok', '\u{10428}-ok'],
    ['Title of\ntwo lines\n---', 'Title of two lines', 'title-of-two-lines'],
    ['# !?', '!?', 'section'],
    ['#', '', 'section'],
    ['# a\u0000b', 'a b', 'a-b'],
  ])('%j', (body, title, id) => {
    expect(splitSections(body)).toMatchObject([{ title, id }])
  })

  test.each<[string, string, string]>([
    ['# Words {#Own_1.a:b-c}', 'Words', 'Own_1.a:b-c'],
    ['# Words{#own} ##', 'Words', 'own'],
    ['# {#own}', '', 'own'],
    ['Words\n{#own}\n===', 'Words', 'own'],
    ['# Words {#識別}', 'Words', '識別'],
    ['# Words {#a} {#b}', 'Words {#a}', 'b'],
    [`# Words {#${'a'.repeat(200)}}`, 'Words', 'a'.repeat(200)],
  ])('an explicit id wins: %j', (body, title, id) => {
    expect(splitSections(body)).toMatchObject([{ title, id }])
  })

  test.each([
    ['# W {#}', 'W {#}'],
    ['# W {#a b}', 'W {#a b}'],
    ['# W {#a .b}', 'W {#a .b}'],
    ['# W {#a/b}', 'W {#a/b}'],
    ['# W {#~intro}', 'W {#~intro}'],
    ['# W {#..}', 'W {#..}'],
    ['# W {# a}', 'W {# a}'],
    ['# W {a}', 'W {a}'],
    ['# W \\{#a}', 'W {#a}'],
    ['# W `{#a}`', 'W {#a}'],
    ['# W {#a} x', 'W {#a} x'],
    [`# W {#${'a'.repeat(201)}}`, `W {#${'a'.repeat(201)}}`],
  ])('no explicit id: %j', (body, title) => {
    expect(titlesOf(body)).toEqual([title])
  })

  test('a repeated id gets the next free number', () => {
    expect(idsOf('# a\n# a-1\n# a\n# a\n# A!\n')).toEqual(['a', 'a-1', 'a-2', 'a-3', 'a-4'])
    expect(idsOf('# a\n# a\n# a-1\n')).toEqual(['a', 'a-1', 'a-1-1'])
    expect(idsOf('#\n# !\n# section\n')).toEqual(['section', 'section-1', 'section-2'])
    expect(idsOf('# a\n# b {#a}\n# c {#a}\n# a-2 {#x}')).toEqual(['a', 'a-1', 'a-2', 'x'])
  })

  test('a long title and its id are cut between code points', () => {
    const [section] = splitSections(`# ${'\u{20000}'.repeat(500)}`)
    expect(section?.title).toBe(`${'\u{20000}'.repeat(299)}…`)
    expect(section?.id).toBe('\u{20000}'.repeat(200))
  })
})

describe('every body', () => {
  test('is its sections in order, with ids that differ', () => {
    fc.assert(
      fc.property(fc.oneof(sectionDocuments, nastyMarkdown), (body) => {
        expectSound(body, splitSections(body))
      }),
      { numRuns: countRuns(100) },
    )
  })

  test('of the corpus', () => {
    for (const body of readCorpus()) expectSound(body, splitSections(body))
  })

  test.each([
    ['equal headings', '# a\n'.repeat(100_000)],
    ['ids that take the numbers of others', `${ordinals('# a-', 50_000)}${'# a\n'.repeat(50_000)}`],
    ['nested headings', '# a\n## a\n### a\n#### a\n##### a\n###### a\n'.repeat(20_000)],
    ['setext headings', 'a\n===\n'.repeat(100_000)],
    ['headings of backticks', `# ${'`'.repeat(3_900)}\n`.repeat(1_000)],
    ['headings of spaces', `# a${' '.repeat(3_900)}b\n`.repeat(1_000)],
    ['headings of open braces', `# ${'{#'.repeat(1_950)}}\n`.repeat(1_000)],
    ['one heading of spaces', `# a${' '.repeat(1_000_000)}b {#`],
    ['one setext heading', `${'a {#\n'.repeat(200_000)}}\n===`],
  ])('takes linear time over %s', { timeout: 20_000 }, (_name, body) => {
    const sections = splitSections(body)
    expect(sections.at(-1)?.end).toBe(body.length)
    expect(new Set(sections.map(({ id }) => id)).size).toBe(sections.length)
  })
})

describe('outlineSections', async () => {
  const tokenizer = await loadTokenizer('o200k_base')

  test('counts sections and subtrees as texts of their own', () => {
    const body = 'intro\n\n# A\n\ntext of it\n\n## B\n\nmore\n\n# C\n'
    expect(outlineSections(body, tokenizer)).toMatchObject([
      { id: '~intro', tokens: countTokens('intro\n\n'), subtreeTokens: countTokens('intro\n\n') },
      {
        id: 'a',
        tokens: countTokens('# A\n\ntext of it\n\n'),
        subtreeTokens: countTokens('# A\n\ntext of it\n\n## B\n\nmore\n\n'),
      },
      { id: 'b', tokens: countTokens('## B\n\nmore\n\n'), subtreeTokens: countTokens('## B\n\nmore\n\n') },
      { id: 'c', tokens: countTokens('# C\n'), subtreeTokens: countTokens('# C\n') },
    ])
  })

  test('counts every body exactly', () => {
    fc.assert(
      fc.property(sectionDocuments, (body) => {
        const outline = outlineSections(body, tokenizer)
        const counts = outline.map(({ tokens, subtreeTokens }) => [tokens, subtreeTokens])
        const expected = splitSections(body).map(({ start, end, subtreeEnd }) => [
          countTokens(body.slice(start, end)),
          countTokens(body.slice(start, subtreeEnd)),
        ])
        expect(counts).toEqual(expected)
      }),
    )
  })
})

function ordinals(prefix: string, count: number): string {
  return Array.from({ length: count }, (_, index) => `${prefix}${index + 1}\n`).join('')
}

test('a minified text has the ids and titles of its source', () => {
  const source =
    '<!-- intro -->\n\n# One {#first}\n\na\n\nTwo *words*\n=========\n\nb\n\n## Two words {#a .x}\n\n# Two words\n'
  const text = '# One\n\na\n\n# Two *words*\n\nb\n\n## Two words {.x}\n\n# Two words\n'
  expect(
    splitSections(text, { source }).map(({ id, start, end }) => [id, text.slice(start, end).split('\n')[0]]),
  ).toEqual([
    ['first', '# One'],
    ['two-words', '# Two *words*'],
    ['two-words-a-x', '## Two words {.x}'],
    ['two-words-1', '# Two words'],
  ])
})
