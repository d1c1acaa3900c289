import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { decode } from '@packs/codec'
import { countTokens as countCl100k } from 'gpt-tokenizer/encoding/cl100k_base'
import { countTokens as countO200k } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import { runInProcess } from '../../../test-kit/test/run-in-process.ts'
import { makeFolder } from '../../../test-kit/test/run-pack.ts'

const WORDS = 'amber birch cedar delta ember flint grove heron inlet jetty kiosk lemon'.split(' ')
const PROSE = WORDS.map((word) => `One ${word} of the ${word} hills reads a volatile xenon log of the north.`)
const CODE = WORDS.map((word) => `const ${word} = await openCertificateStore('${word}')`)
const BODY = `# Logs\n\n${PROSE.join('\n')}\n\n\`\`\`js\n${CODE.join('\n')}\n\`\`\`\n`
const frontMatter = (more: string): string =>
  `---\nslug: logs\ntitle: Logs\ndomain: Guides\nsubdomain: Tests\ndifficulty: beginner\n${more}---\n`

interface Inspected {
  readonly optimality: number | null
  readonly rebuild: { scheme: string; code: boolean; same: boolean; tokens: number; optimality: number }
  readonly tokenizers: readonly {
    tokenizer: string
    source: number
    content: number
    header: number
    net_savings_pct: number
  }[]
  readonly entries: readonly { term: string; expansion: string; net: number }[]
}

interface Built {
  readonly cwd: string
  readonly pack: { content: string; rosetta: string; token_count: number; rosetta_tokens: number }
}

async function build(more = '', ...options: readonly string[]): Promise<Built> {
  const cwd = makeFolder({ 'notes.md': frontMatter(more) + BODY })
  expect(await runInProcess(['build', 'notes.md', '-o', '.', ...options], { cwd })).toMatchObject({
    status: 0,
  })
  return { cwd, pack: JSON.parse(readFileSync(join(cwd, 'logs.pack.json'), 'utf8')) as Built['pack'] }
}

async function inspect(cwd: string, ...options: readonly string[]): Promise<Inspected> {
  const run = await runInProcess(['inspect', 'logs.pack.json', '--json', ...options], { cwd })
  expect(run).toMatchObject({ status: 0, stderr: '' })
  return JSON.parse(run.stdout) as Inspected
}

describe('pack inspect', () => {
  it('counts a pack in both tokenizers, its own first', async () => {
    for (const [own, other] of [
      ['o200k_base', 'cl100k_base'],
      ['cl100k_base', 'o200k_base'],
    ] as const) {
      const { cwd, pack } = await build('', '--scheme', 'dense-2', '--tokenizer', own)
      const { tokenizers } = await inspect(cwd)
      expect(tokenizers.map(({ tokenizer }) => tokenizer)).toEqual([own, other])
      const source = decode(pack.content, pack.rosetta)
      for (const { tokenizer, net_savings_pct: net, ...counts } of tokenizers) {
        const count = tokenizer === 'o200k_base' ? countO200k : countCl100k
        const expected = { source: count(source), content: count(pack.content), header: count(pack.rosetta) }
        expect(counts).toEqual(expected)
        expect(net).toBeCloseTo(100 * (1 - (expected.content + expected.header) / expected.source), 1)
      }
    }
  })

  it.each([
    ['dense-2', true, '', ['--scheme', 'dense-2']],
    ['dense-2', false, 'code: false\n', ['--scheme', 'dense-2']],
    ['max-2', false, '', ['--scheme', 'max-2', '--no-code']],
  ] as const)('builds the same pack again: %s, code %s', async (scheme, code, fields, options) => {
    const { cwd, pack } = await build(fields, ...options)
    const { optimality, rebuild } = await inspect(cwd)
    expect(rebuild).toEqual({
      scheme,
      code,
      same: true,
      tokens: pack.token_count + pack.rosetta_tokens,
      optimality,
    })
    expect(optimality).toBeGreaterThan(0.9)
    expect(optimality).toBeLessThanOrEqual(1)
    const built = await runInProcess(['build', 'notes.md', '--dry-run', '--json', ...options], { cwd })
    expect(JSON.parse(built.stdout)).toMatchObject({ packs: [{ optimality }] })
  })

  it('builds the same pack again from MDX, whose program text stays as it is', async () => {
    const panels = WORDS.map((word) => `<Panel kind="volatile xenon log of the north">${word}</Panel>\n`)
    const cwd = makeFolder({ 'notes.mdx': frontMatter('') + BODY + panels.join('\n') })
    expect(
      await runInProcess(['build', 'notes.mdx', '-o', '.', '--scheme', 'dense-2'], { cwd }),
    ).toMatchObject({ status: 0 })
    expect((await inspect(cwd)).rebuild).toMatchObject({ same: true, code: true })
  })

  it('reports that the rebuild gives a different pack', async () => {
    const { cwd, pack } = await build(
      'glossary:\n  - {expansion: volatile xenon, never: true}\n',
      '--scheme',
      'dense-2',
    )
    const { optimality, rebuild } = await inspect(cwd)
    expect(optimality).toBe(null)
    expect(rebuild).toMatchObject({ same: false, code: true })
    const { stdout } = await runInProcess(['inspect', 'logs.pack.json', '--all'], { cwd })
    expect(stdout).toContain(
      `\nCompressing the source again as dense-2 gives a different pack: ${rebuild.tokens} tokens instead of ${pack.token_count + pack.rosetta_tokens}. It was built `,
    )
  })

  it('says how to inspect markdown', async () => {
    const run = await runInProcess(['inspect', 'notes.md'], { cwd: makeFolder({ 'notes.md': '# A\n' }) })
    expect(run).toMatchObject({ status: 1, stdout: '' })
    expect(run.stderr).toMatch(/^error: notes\.md is markdown, not a pack\nhint: run `pack build notes\.md`/)
  })

  it('inspects a pack that saves nothing', async () => {
    const cwd = makeFolder()
    const text = 'Blue ink dries on red paper.\n'
    writeFileSync(join(cwd, 'notes.md'), frontMatter('') + text)
    await runInProcess(['build', 'notes.md', '-o', '.'], { cwd })
    const { optimality, rebuild, entries } = await inspect(cwd)
    expect({ optimality, entries }).toEqual({ optimality: 1, entries: [] })
    expect(rebuild).toMatchObject({ scheme: 'minify-1', same: true, tokens: countO200k(text) })
  })
})
