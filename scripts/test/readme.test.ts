import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'

interface Snippet {
  readonly page: string
  readonly line: number
  readonly code: string
  /** The `text` block that follows, if it follows directly: what the program prints. */
  readonly output: string | undefined
}

const root = dirname(dirname(import.meta.dirname))
const pages = ['README.md', 'docs/prompts.md']
// Those that need a catalog run in examples/test.
const snippets = pages
  .flatMap((page) => extractSnippets(page, readFileSync(join(root, page), 'utf8')))
  .filter(({ code }) => !code.includes('PACK_URL'))

// Inside the repository, so that `@packs/…` resolves as for a program of the workspace.
mkdirSync(join(root, '.packs'), { recursive: true })
const folder = mkdtempSync(join(root, '.packs', 'readme-'))
for (const snippet of snippets) writeFileSync(join(folder, nameProgram(snippet)), snippet.code)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('README.md and docs/prompts.md', () => {
  it.each(pages)('%s has code', (page) => {
    expect(snippets.filter((snippet) => snippet.page === page)).not.toEqual([])
  })

  // Those with a catalog run in examples/test/readme.test.ts.
  it.each(snippets.filter(({ code }) => !code.includes('PACK_URL')))(
    'print what they say ($page, line $line)',
    (snippet) => {
      const program = join(folder, nameProgram(snippet))
      const result = spawnSync(process.execPath, ['-C', 'source', program], { cwd: root, encoding: 'utf8' })
      expect({ stderr: result.stderr, status: result.status }).toEqual({ stderr: '', status: 0 })
      expect(result.stdout.trimEnd()).toBe(snippet.output?.trimEnd() ?? '')
    },
  )
})

function nameProgram({ page, line }: Snippet): string {
  return `${page.replaceAll(/\W/g, '-')}-${line}.ts`
}

function extractSnippets(page: string, markdown: string): Snippet[] {
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
    return [{ page, line, code: block.text, output: follows ? next.text : undefined }]
  })
}
