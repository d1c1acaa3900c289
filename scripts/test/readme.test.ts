import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'

interface Snippet {
  readonly line: number
  readonly code: string
  /** The `text` block that follows, if it follows directly: what the program prints. */
  readonly output: string | undefined
}

const root = dirname(dirname(import.meta.dirname))
const snippets = extractSnippets(readFileSync(join(root, 'README.md'), 'utf8'))

// Inside the repository, so that `@packs/…` resolves as for a program of the workspace.
mkdirSync(join(root, '.packs'), { recursive: true })
const folder = mkdtempSync(join(root, '.packs', 'readme-'))
writeFileSync(
  join(folder, 'tsconfig.json'),
  JSON.stringify({
    extends: '../../tsconfig.test.json',
    compilerOptions: { incremental: false },
    include: ['*.ts'],
  }),
)
for (const { line, code } of snippets) writeFileSync(join(folder, `line-${line}.ts`), code)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('README.md', () => {
  it('has code', () => {
    expect(snippets.length).toBeGreaterThan(0)
  })

  it('has code that type-checks', () => {
    const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
    const { stdout, status } = spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' })
    expect({ stdout, status }).toEqual({ stdout: '', status: 0 })
  })

  it.each(snippets)('prints what it says (line $line)', ({ line, output }) => {
    const program = join(folder, `line-${line}.ts`)
    const result = spawnSync(process.execPath, ['-C', 'source', program], { cwd: root, encoding: 'utf8' })
    expect({ stderr: result.stderr, status: result.status }).toEqual({ stderr: '', status: 0 })
    expect(result.stdout.trimEnd()).toBe(output?.trimEnd() ?? '')
  })
})

function extractSnippets(markdown: string): Snippet[] {
  const blocks = [...markdown.matchAll(/^```(\w+)\n(.*?)^```\n/gms)].map((match) => ({
    language: match[1],
    text: match[2] ?? '',
    start: match.index,
    end: match.index + match[0].length,
  }))
  return blocks.flatMap((block, index) => {
    if (block.language !== 'ts') return []
    const next = blocks[index + 1]
    const follows = next?.language === 'text' && markdown.slice(block.end, next.start).trim() === ''
    const line = markdown.slice(0, block.start).split('\n').length
    return [{ line, code: block.text, output: follows ? next.text : undefined }]
  })
}
