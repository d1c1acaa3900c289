import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const page = readFileSync('docs/security.md', 'utf8')
const [, table = ''] = page.split('## How it is enforced\n')
const rows = table
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .slice(2)

/** A link to a test: its text is the end of the test's title as the file has it. */
const TEST = /\[([^\]]+)\]\(\.\.\/([^)\s]+\.test\.ts)\)/g

describe('docs/security.md', () => {
  it('has the actors of the threat model', () => {
    const actors = ['visitor', 'Free', 'Pro', 'publisher', 'pack author', 'other user', 'pull request']
    expect(actors.filter((actor) => !page.includes(`| ${actor} `))).toEqual([])
    expect(rows.length).toBeGreaterThan(20)
  })

  it.each(rows)('names a test that exists: %s', (row) => {
    const tests = [...row.matchAll(TEST)]
    expect(tests.length).toBeGreaterThan(0)
    for (const [, title, file] of tests)
      expect(readFileSync(join(file!), 'utf8').replaceAll("\\'", "'"), `${file}`).toContain(title)
  })
})
