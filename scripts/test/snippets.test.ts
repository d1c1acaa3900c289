import { spawnSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { commandTable } from '../../packages/cli/src/commands/command-table.ts'
import { runInProcess } from '../../packages/cli/test/run-in-process.ts'

const root = dirname(dirname(import.meta.dirname))
const pages = globSync(['README.md', 'docs/**/*.md', 'packages/*/README.md'], { cwd: root })
const blocks = pages.flatMap((page) =>
  [...readFileSync(join(root, page), 'utf8').matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(
    ([, language = '', code = '']) => ({ page, language, code }),
  ),
)

// Inside the examples, so that a snippet finds what their package.json has.
mkdirSync(join(root, 'examples/.packs'), { recursive: true })
const folder = mkdtempSync(join(root, 'examples/.packs/snippets-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('commands in pages have options that exist', async () => {
  const used = blocks
    .filter(({ language }) => ['sh', 'console', 'yaml'].includes(language))
    .flatMap(({ page, code }) =>
      [...code.matchAll(/(?:^|[\s"'])(?:pack|@packs\/cli) ([a-z]+)\b((?:[^\n#|&;]|\\\n)*)/g)].flatMap(
        ([, command = '', rest = '']) =>
          [...rest.matchAll(/(?<=\s)--[a-z][a-z-]*/g)].map(([option]) => ({ page, command, option })),
      ),
    )
    .filter(({ command }) => commandTable.some(({ name }) => name === command))
  expect(used.length).toBeGreaterThan(20)
  const help = new Map<string, string>()
  for (const { command } of used)
    help.set(command, help.get(command) ?? (await runInProcess([command, '--help'])).stdout)
  const unknown = used.filter(
    ({ command, option }) => !new RegExp(`${option}(?![a-z-])`).test(help.get(command)!),
  )
  expect(unknown).toEqual([])
})

it('programs in docs that import what they use type-check', () => {
  const programs = blocks.filter(
    ({ page, language, code }) => page.startsWith('docs/') && language === 'ts' && /^import /m.test(code),
  )
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      extends: '../../../tsconfig.test.json',
      compilerOptions: { incremental: false },
      include: ['*.ts'],
    }),
  )
  for (const [index, { page, code }] of programs.entries())
    writeFileSync(join(folder, `${page.replaceAll(/\W/g, '-')}-${index}.ts`), code)
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const { stdout } = spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' })
  expect(stdout).toBe('')
})
