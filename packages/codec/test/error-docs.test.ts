import { globSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'

const root = new URL('../../../', import.meta.url)
const page = readFileSync(new URL('docs/errors.md', root), 'utf8')

// Each section links the file whose codes it lists and has a table with a row for each code.
const sections = page
  .split(/^## /m)
  .slice(1)
  .map((text) => ({
    name: text.slice(0, text.indexOf('\n')),
    file: /\]\(\.\.\/([^)]+\.ts)\)/.exec(text)?.[1] ?? '',
    codes: [...text.matchAll(/^\| `([\w-]+)`/gm)].map(([, code]) => code),
    tables: text.split('\n\n').filter((block) => block.startsWith('|')),
  }))

describe('docs/errors.md', () => {
  test.each(sections)('lists the codes of $file, and no others', ({ file, codes }) => {
    expect(new Set(codes)).toEqual(new Set(readCodes(file)))
    expect(codes).toHaveLength(new Set(codes).size)
  })

  test.each(sections)('has rows of as many cells as the heading in each table of $name', ({ tables }) => {
    expect(tables.length).toBeGreaterThan(0)
    for (const table of tables) {
      const [heading, ...rows] = table.trimEnd().split('\n')
      expect(rows.filter((row) => countBorders(row) !== countBorders(heading!))).toEqual([])
    }
  })

  test('has a section for every file that declares codes', () => {
    const files = globSync('packages/*/src/**/*.ts', { cwd: root }).filter(
      (file) => readCodes(file).length > 0,
    )
    expect(sections.map(({ file }) => file).toSorted(compare)).toEqual(files.toSorted(compare))
  })
})

/** Counts the pipes that divide cells: a backslash escapes the character after it, also in code. */
function countBorders(row: string): number {
  return row.replace(/\\[\\|]/g, '').split('|').length - 1
}

/** The codes of the exported unions and tables of a file that are named after errors or rules of messages. */
function readCodes(file: string): string[] {
  const source = readFileSync(new URL(file, root), 'utf8')
  const unions = source.matchAll(/^export type \w+(?:ErrorCode|Rule) =((?:\s*\|?\s*'[\w-]+')+)/gm)
  const codes = [...unions].flatMap(([, union]) => [...union!.matchAll(/'([\w-]+)'/g)])
  const [, table] = /^export type \w+ErrorCode = keyof typeof (\w+)$/m.exec(source) ?? []
  const [, rows = ''] = new RegExp(`^(?:export )?const ${table} = \\{\\n(.*?)\\n\\}`, 'ms').exec(source) ?? []
  return [...codes, ...rows.matchAll(/^  (\w+):/gm)].map(([, code]) => code!)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : 1
}
