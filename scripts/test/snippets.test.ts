import { spawnSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { commandTable } from '../../packages/cli/src/commands/command-table.ts'
import { runInProcess } from '../../packages/test-kit/test/run-in-process.ts'

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
          [...rest.matchAll(/(?<=\s)--[a-z][a-z-]*/g)].map(([option]) => ({
            page,
            command,
            part: /^ ([a-z]+) /.exec(rest)?.[1] ?? '',
            option,
          })),
      ),
    )
    .filter(({ command }) => commandTable.some(({ name }) => name === command))
  expect(used.length).toBeGreaterThan(20)
  const help = new Map<string, string>()
  for (const { command, part } of used) {
    const name = `${command} ${part}`
    help.set(name, help.get(name) ?? (await runInProcess([...name.trim().split(' '), '--help'])).stdout)
  }
  const unknown = used.filter(
    ({ command, part, option }) => !new RegExp(`${option}(?![a-z-])`).test(help.get(`${command} ${part}`)!),
  )
  expect(unknown).toEqual([])
})

it('docs/prompts.md says what its program prints', () => {
  const page = blocks.filter((block) => block.page === 'docs/prompts.md')
  const at = page.findIndex(({ language }) => language === 'ts')
  const program = join(folder, 'prompts-page.mts')
  writeFileSync(program, page[at]!.code)
  const result = spawnSync(process.execPath, ['-C', 'source', program], { encoding: 'utf8' })
  rmSync(program)
  expect(result).toMatchObject({ status: 0, stderr: '', stdout: page[at + 1]!.code })
})

/** What a part of a program cannot have: all declarations, a use of each name, a check of each value. */
const PARTIAL = /error TS(?:2304|2552|18004|6133|6198|6192|18046|18047|18048|2532):/

it('programs in pages type-check, and parts of programs in package READMEs fit the packages', () => {
  const code = blocks.filter(({ language }) => language === 'ts')
  const parts = code.filter(({ page }) => page.startsWith('packages/'))
  const programs = code.filter(
    ({ page, code: text }) => !page.startsWith('packages/') && /^import /m.test(text),
  )
  for (const [index, { page, code: text }] of programs.entries())
    writeFileSync(join(folder, `${page.replaceAll(/\W/g, '-')}-${index}.ts`), text)
  // Inside each package, where its own name resolves too.
  for (const [index, { page, code: text }] of parts.entries()) {
    mkdirSync(join(root, dirname(page), '.packs'), { recursive: true })
    const module = /^(?:im|ex)port /m.test(text) ? text : `${text}export {}\n`
    writeFileSync(join(root, dirname(page), '.packs', `part-${index}.ts`), module)
  }
  const found = checkTypes(['*.ts', '../../../packages/*/.packs/part-*.ts'])
  for (const { page } of parts) rmSync(join(root, dirname(page), '.packs'), { recursive: true, force: true })
  expect([programs.length, parts.length].every((count) => count > 3)).toBe(true)
  expect(found.filter((line) => !line.includes('/.packs/part-') || !PARTIAL.test(line))).toEqual([])
})

/** Type-checks programs, and returns the lines that the compiler prints about files. */
function checkTypes(include: readonly string[]): string[] {
  const settings = {
    extends: '../../../tsconfig.test.json',
    compilerOptions: { incremental: false },
    include,
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings))
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const { stdout } = spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' })
  return stdout.split('\n').filter((line) => /^\S.*error TS/.test(line))
}
