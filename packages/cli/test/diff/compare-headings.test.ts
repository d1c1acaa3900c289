import { describe, expect, it } from 'vitest'
import { compareHeadings, listHeadings } from '../../src/diff/compare-packs.ts'

describe('listHeadings', () => {
  it('reads headings of both kinds, and none in code, quotes and lists', () => {
    const body =
      '# One #\n\nTwo\nlines\n---\n\n```\n# code\n```\n> # quoted\n\n- # listed\n\n ### Three\nFour\n===\n'
    expect(listHeadings(body)).toEqual([
      { level: 1, text: 'One', line: 1 },
      { level: 2, text: 'Two lines', line: 3 },
      { level: 3, text: 'Three', line: 14 },
      { level: 1, text: 'Four', line: 15 },
    ])
  })
})

describe('compareHeadings', () => {
  const join = (...headings: string[]): string => headings.map((heading) => `${heading}\n\ntext\n`).join('\n')

  it('tells new, removed, renamed and moved headings apart', () => {
    const before = join('# Guide', '## Install', '## Use', '## Old', '## End', '## Moves')
    const after = join('# Guide', '## Moves', '## Set up', '## Use', '## End', '## New', '### Newer')
    const named = compareHeadings(before, after)
    expect(named.renamed.map((pair) => [pair.before.text, pair.after.text])).toEqual([['Install', 'Set up']])
    expect(named.moved.map((pair) => [pair.before.text, pair.before.line, pair.after.line])).toEqual([
      ['Moves', 21, 5],
    ])
    expect(named.added.map(({ text }) => text)).toEqual(['New', 'Newer'])
    expect(named.removed.map(({ text }) => text)).toEqual(['Old'])
  })

  it('takes another level for a renamed heading', () => {
    const { renamed, added, removed } = compareHeadings(join('# A', '## B'), join('# A', '### B'))
    expect(renamed).toHaveLength(1)
    expect([added, removed]).toEqual([[], []])
  })

  it('finds no difference in equal headings, and ends for many that differ', () => {
    expect(compareHeadings('# A\n', '# A\ntext\n')).toEqual({
      added: [],
      removed: [],
      renamed: [],
      moved: [],
    })
    const list = (name: string, count: number): string =>
      Array.from({ length: count }, (_, at) => `# ${name}${at}\n`).join('')
    const { added, removed } = compareHeadings(list('a', 20_000), list('b', 20_001))
    expect([added.length, removed.length]).toEqual([20_001, 20_000])
  })
})
