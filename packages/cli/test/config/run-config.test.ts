import { describe, expect, it } from 'vitest'
import { runInProcess, type Printed } from '../../../test-kit/test/run-in-process.ts'
import { makeFolder, runPack } from '../../../test-kit/test/run-pack.ts'

/** Builds one source with a configuration. */
async function build(
  name: string,
  config: string,
  files: Readonly<Record<string, string>> = {},
): Promise<Printed> {
  const cwd = makeFolder({ ...files, [name]: config, 'a.md': '# A\n' })
  return runInProcess(['build', 'a.md', '--dry-run', '--json'], { cwd })
}

function schemeOf({ status, stdout }: Printed): string {
  expect(status).toBe(0)
  return (JSON.parse(stdout) as { packs: { messages: { rule: string }[] }[] }).packs[0]!.messages.some(
    ({ rule }) => rule === 'no-terms',
  )
    ? 'minify-1'
    : 'none'
}

describe('a configuration in code', () => {
  it.each([
    [
      'packs.config.ts',
      `import { defineConfig } from '@packs/cli'\nexport default defineConfig({ scheme: 'none' })`,
    ],
    ['packs.config.ts', `enum Scheme { None = 'none' }\nexport default { scheme: Scheme.None as const }`],
    ['packs.config.mts', `const scheme: string = 'none'\nexport default { scheme }`],
    ['packs.config.js', `export default { scheme: 'none' }`],
    ['packs.config.js', `module.exports = { scheme: 'none' }`],
    ['packs.config.mjs', `export default { scheme: await Promise.resolve('none') }`],
    ['packs.config.mjs', `export default Promise.resolve({ scheme: 'none', budget: undefined })`],
    ['packs.config.cjs', `module.exports = { scheme: 'none' }`],
  ])('is read from %s: %s', async (name, text) => {
    expect(schemeOf(await build(name, text))).toBe('none')
  })

  it('imports files beside it, and prints to stderr only', async () => {
    const config = `import { scheme } from './scheme'\nconsole.log('hello')\nexport default { scheme }`
    const run = await build('packs.config.ts', config, { 'scheme.ts': `export const scheme = 'none'` })
    expect(schemeOf(run)).toBe('none')
    expect(run.stderr).toBe('hello\n')
  })

  it.each([
    ['throws', `const a = 1\nthrow new Error('no token')`, '2 it failed: no token'],
    ['throws no error', `throw 'no'`, 'null it threw no'],
    [
      'has a syntax error',
      `export default {\n  sources: ['a'\n}`,
      '3 it is not valid TypeScript or JavaScript:',
    ],
    [
      'imports a missing file',
      `import a from './gone.ts'\nexport default a`,
      '1 it failed: Cannot find module',
    ],
    [
      'imports a missing package',
      `import a from 'gone'\nexport default a`,
      "1 it failed: Cannot find module 'gone'",
    ],
    ['exports nothing', `export const scheme = 'none'`, 'null it has no default export'],
    ['is empty', '', 'null it has no default export'],
    ['exports a function', 'export default () => ({})', 'null it exports a function'],
    ['never ends to wait', 'await new Promise(() => {})\nexport default {}', 'null it ended before'],
    ['exits', 'process.exit(0)', 'null it ended before'],
  ])('is refused if it %s', async (_, text, fault) => {
    const { status, stdout } = await build('packs.config.ts', text)
    const { error } = JSON.parse(stdout) as {
      error: { code: string; file: string; faults: { line: number | null; message: string }[] }
    }
    expect({ status, code: error.code, file: error.file }).toEqual({
      status: 2,
      code: 'config_failed',
      file: 'packs.config.ts',
    })
    expect(`${error.faults[0]!.line} ${error.faults[0]!.message}`).toContain(fault)
  })

  it('is ended if it does not end', async () => {
    const cwd = makeFolder({ 'packs.config.js': 'while (true) {}', 'a.md': '# A\n' })
    const script = `
      import { runConfig } from ${JSON.stringify(new URL('../../src/config/run-config.ts', import.meta.url))}
      const error = await runConfig(${JSON.stringify(`${cwd}/packs.config.js`)}, 'it', 0.5).catch((thrown) => thrown)
      console.error(error.code, error.details.faults[0].message)
    `
    const module = `data:text/javascript,${encodeURIComponent(script)}`
    const run = await runPack(['--version'], { cwd, nodeArgs: ['--import', module] })
    expect(run.stderr).toBe('config_failed it did not end within 0.5 seconds\n')
  })

  it('names each value that is not valid by its key', async () => {
    const cwd = makeFolder({
      'packs.config.ts': `export default { schem: 'x', budget: '1' }`,
      'a.md': '# A\n',
    })
    const run = await runInProcess(['build', 'a.md'], { cwd })
    expect(run).toMatchObject({ status: 2, stdout: '' })
    expect(run.stderr).toBe(
      [
        'packs.config.ts error budget must be a whole number of tokens, at least 1, found "1"',
        '  hint: give a whole number of tokens, at least 1',
        'packs.config.ts error "schem" is not a key of a configuration',
        '  hint: did you mean "scheme"?',
        'error: packs.config.ts has 2 faults, so nothing was done',
        'hint: correct it, name another one with --config, or use none with --config none',
        '',
      ].join('\n'),
    )
  })
})
