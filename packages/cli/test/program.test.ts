import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { runInProcess } from '../../test-kit/test/run-in-process.ts'
import { makeFolder, runPack } from '../../test-kit/test/run-pack.ts'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

describe('pack', () => {
  it('prints its version, and where the server is', async () => {
    const server = fileURLToPath(new URL('../node_modules/@packs/server', import.meta.url))
    expect(await runPack(['--version'])).toMatchObject({
      status: 0,
      stdout: `${version}\n@packs/server ${version} in ${server}\n`,
      stderr: '',
    })
  })

  it('prints help on stdout with --help, and the first commands with status 2 without arguments', async () => {
    const help = await runInProcess(['--help'])
    expect(help).toMatchObject({ status: 0, stderr: '' })
    expect(help.stdout).toContain('Usage: pack <command> [options]')
    const bare = await runInProcess([])
    expect(bare).toMatchObject({ status: 2, stderr: '' })
    expect(bare.stdout.match(/^ {2}\w+ +\w/gm)).toHaveLength(6)
    expect(bare.stdout).toMatch(/\nAll commands: pack --help\n$/)
  })

  it.each([
    'init',
    'build',
    'decode',
    'check',
    'diff',
    'search',
    'inspect',
    'preview',
    'prompt',
    'add',
    'install',
    'update',
    'remove',
    'export',
    'publish',
    'jobs',
    'yank',
    'verify',
    'worker',
    'serve',
    'mode',
  ])('has help with examples for %s, with --help and with help', async (name) => {
    const option = await runInProcess([name, '--help'])
    const command = await runInProcess(['help', name])
    expect(option).toMatchObject({ status: 0, stderr: '' })
    expect(option.stdout).toContain(`Usage: pack ${name} `)
    expect(option.stdout).toMatch(/Examples:\n {2}\$ pack /)
    expect(option.stdout).toContain('--json')
    expect(command.stdout).toBe(option.stdout)
  })

  it.each([
    [['biuld'], "unknown command 'biuld'", 'Did you mean build?'],
    [['biuld', '--help'], "unknown command 'biuld'", 'Did you mean build?'],
    [['help', 'biuld'], "unknown command 'biuld'", 'Did you mean build?'],
    [['build', '--dryrun'], "unknown option '--dryrun'", 'Did you mean --dry-run?'],
    [['decode'], "missing required argument 'file'", 'run `pack decode --help`'],
    [['search', 'a', '--limit', '0x10'], "'--limit <n>' argument '0x10' is invalid", 'pack search --help'],
    [['search', 'a', '--limit', '0'], "'--limit <n>' argument '0' is invalid", 'pack search --help'],
    [['build', '--scheme', 'dense'], 'Use none, minify-1, dense-2, max-2.', 'pack build --help'],
    [['prompt', 'dist', '--scheme', 'dense-1'], 'Use dense-2, which replaces dense-1.', 'pack prompt --help'],
    [['keys', 'create'], "required option '--account <email>'", 'run `pack keys create --help`'],
    [['mode', 'nope'], "the mode must be online or recovery, not 'nope'", 'run `pack mode --help`'],
    [['build', '--tokenizer', 'gpt2'], 'Allowed choices are o200k_base, cl100k_base.', 'pack build --help'],
    [['build', '--max-warnings=-1', 'a.md'], "option '--max-warnings", ''],
    [['build', '--max-warnings', 'many', 'a.md'], "option '--max-warnings", ''],
    [['build', '--ext', 'a/b', 'a.md'], "option '--ext", ''],
    [['build', ''], 'an input is empty', ''],
    [['build', 'a.md', '-o', ''], '-o is empty', ''],
    [['build', 'a.md', '-o', '-', '--clean'], '--clean cannot be used with -o -', ''],
    [['build', 'a.md', '--stdin-name', 'b.md'], '--stdin-name needs - among the inputs', ''],
    [['build', '-', '--stdin-name', ''], '--stdin-name is empty', ''],
    [['build', 'a.md', '--report', 'b.md'], '--report', ''],
    [['build', 'a.md', '--report', '-'], '--report', ''],
    [['build', 'a.md', '--watch', '--report', 'build.html'], '--report', ''],
    [['check', ''], 'an input is empty', ''],
    [['check', 'dist', '--max-growth', '3'], '--max-growth needs a comparison', ''],
    [['check', 'dist', '--summary', 'a.md'], '--summary needs a comparison', ''],
    [['check', 'dist', '--against', 'a', '--max-growth', '-1'], "argument '-1' is invalid", ''],
    [['check', 'dist', '--against', 'a', '--max-growth', '1001%'], 'a percentage from 0 to 1000', ''],
    [['check', 'dist', '--against', ''], '--against is empty', ''],
    [['export', 'a.pack.json', '-o', ''], 'the folder after -o is empty', ''],
    [['export', 'a.pack.json'], "required option '-o, --output <folder>' not specified", ''],
    [['prompt', 'a.pack.json', '--fit'], '--fit needs a budget', ''],
  ])('exits with status 2 for %j and names the problem, as text and as JSON', async (args, message, hint) => {
    const cwd = makeFolder({ 'a.md': '# A\n', 'b.md': '# B\n' })
    const text = await runInProcess(args, { cwd })
    expect(readdirSync(cwd)).toEqual(['a.md', 'b.md'])
    expect(text).toMatchObject({ status: 2, stdout: '' })
    expect(text.stderr).toContain(message)
    expect(text.stderr).toContain(hint)
    const json = await runInProcess([...args, '--json'], { cwd })
    expect(json).toMatchObject({ status: 2, stderr: '' })
    expect(JSON.parse(json.stdout)).toEqual({
      ok: false,
      error: {
        code: 'usage',
        message: expect.stringContaining(message),
        hint: expect.stringContaining(hint),
      },
    })
  })

  it.each([
    [['--json'], 'run `pack --help`'],
    [['keys', '--json'], 'run `pack keys --help`'],
    [['--json', 'build', 'a.md'], 'run `pack build --help`'],
  ])('reports that --json has no command before it: %j', async (args, hint) => {
    const run = await runInProcess(args)
    expect(run).toMatchObject({ status: 2, stderr: '' })
    expect(JSON.parse(run.stdout)).toEqual({
      ok: false,
      error: { code: 'usage', message: '--json must come after a command', hint },
    })
  })

  it.each([
    [['build', 'a.md', '-o', '-'], '-o - and --json both write to stdout'],
    [['build', '--watch'], '--json cannot be used with --watch'],
    [['check', 'dist', '--against', 'a', '--summary', '-'], 'both write to stdout'],
  ])('refuses --json with %j', async (args, message) => {
    const { status, stdout } = await runInProcess([...args, '--json'], { cwd: makeFolder({ 'a.md': '' }) })
    const error = { code: 'usage', message: expect.stringContaining(message) }
    expect({ status, ...JSON.parse(stdout) }).toMatchObject({ status: 2, ok: false, error })
  })

  it.each([
    [['build', 'a.md', 'b.md', '-o', '-'], '-o - needs one source, got 2'],
    [['build', '-', '--watch'], '--watch cannot read stdin'],
  ])('refuses %j', async (args, message) => {
    const run = await runInProcess(args, { cwd: makeFolder({ 'a.md': '', 'b.md': '' }) })
    expect(run).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining(message) })
  })

  it('uses colours only with FORCE_COLOR when stderr is not a terminal', async () => {
    const plain = await runPack(['decode', 'missing'])
    expect(plain.stderr).toBe('error: missing does not exist\nhint: check the name\n')
    const coloured = await runPack(['decode', 'missing'], { env: { FORCE_COLOR: '1' } })
    expect(coloured.stderr).toContain('\u001B[31merror:\u001B[39m missing does not exist')
    const refused = await runPack(['decode', 'missing'], { env: { NO_COLOR: '1' } })
    expect(refused.stderr).toBe(plain.stderr)
  })
})
