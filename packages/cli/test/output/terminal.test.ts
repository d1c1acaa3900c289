import { execFile } from 'node:child_process'
import { formatPath } from '@packs/files'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { serializePack } from '@packs/codec/internal'
import { describe, expect, it } from 'vitest'
import { buildSample } from '../../../test-kit/test/build-version.ts'
import { runInProcess } from '../../../test-kit/test/run-in-process.ts'
import { launcher, makeFolder, NO_CACHE, runPack } from '../../../test-kit/test/run-pack.ts'
import { escapeControls } from '../../src/output/terminal.ts'

describe('escapeControls', () => {
  it.each([
    ['a\nb\r\tc', 'a\\nb\\r\\tc'],
    ['\u001B[31m\u007F\u009B', '\\u001b[31m\\u007f\\u009b'],
    ['\u2028\u202Egpj.\u2066', '\\u2028\\u202egpj.\\u2066'],
    ['\u200e\u200f\u061c\u2069', '\\u200e\\u200f\\u061c\\u2069'],
    ['naïve – 中文 \\ 🙂', 'naïve – 中文 \\ 🙂'],
  ])('writes %j on one line', (text, shown) => {
    expect(escapeControls(text)).toBe(shown)
  })
})

describe('formatPath', () => {
  it('is relative near the current folder and absolute elsewhere', () => {
    expect(formatPath('/a/b/c.md', '/a')).toBe('b/c.md')
    expect(formatPath('/a', '/a')).toBe('.')
    expect(formatPath('/a/c.md', '/a/b')).toBe('../c.md')
    expect(formatPath('/x/c.md', '/a/b/c/d')).toBe('/x/c.md')
  })
})

describe('in a job of GitHub Actions', () => {
  const files = {
    '::stop-commands::a.md': '# A\n\n### The end\n',
    'b##[add-mask]c.md': '# B\n\n### The end\n',
  }

  it.each([
    [['build', '.', '--verbose']],
    [['check', 'b##[add-mask]c.md', '::stop-commands::a.md']],
    [['decode', '::stop-commands::none']],
  ])('no file name is a command of the log: pack %j', async (args) => {
    const cwd = makeFolder(files)
    const { stdout, stderr } = await runInProcess(args, { cwd, env: { GITHUB_ACTIONS: 'true' } })
    const lines = `${stdout}${stderr}`.split('\n')
    expect(lines.filter((line) => /^\s*::(?!warning |error )|^(?!::).*##\[/.test(line))).toEqual([])
    expect(lines.filter((line) => line.includes('stop-commands'))).not.toEqual([])
  })
})

describe('text of a pack on a terminal', () => {
  const hostile =
    'ESC \u001b]0;owned\u0007 \u001b[2J \u001b[8m, CSI \u009b2J \u0085, bidi \u202e \u2066 \u200f \u061c, back \b\u007f, return a\rb.'
  const body = `# Keys \u001b]0;h\u0007\n\n${hostile} See [a](https://k.example/\u009b).\n\n${'Each certificate transparency log has keys.\n'.repeat(60)}\n## B \u202e\n\n${hostile}\n`
  const files = async (): Promise<Record<string, string>> => {
    const pack = await buildSample({ slug: 'keys', title: 'K \u202e', body, scheme: 'dense-2' })
    const other = await buildSample({ slug: 'logs', body: body.replace('Each', '\u001b[1mEach') })
    return {
      'keys.pack.json': serializePack(pack),
      'logs.pack.json': serializePack(other),
      'docs/keys.md': body,
      'answer.md': `[a](1) ${hostile}`,
      'links.json': '{"1":"https://k.example/"}',
    }
  }

  it.each([
    'preview keys.pack.json',
    'prompt keys.pack.json',
    'prompt keys.pack.json logs.pack.json --json',
    'decode keys.pack.json',
    'context "transparency keys" docs',
    'search keys keys.pack.json --print',
    'inspect keys.pack.json',
    'diff keys.pack.json logs.pack.json',
    'links answer.md --from links.json',
    'export keys.pack.json -o skills',
    'build docs -o -',
  ])('is written without its controls: pack %s', async (args) => {
    const cwd = makeFolder(await files())
    const command = `'${process.execPath}' '${launcher}' ${args}`
    const env = { ...process.env, ...NO_CACHE, GITHUB_ACTIONS: undefined }
    const run = promisify(execFile)('script', ['-qec', command, '/dev/null'], { cwd, env })
    const { stdout } = await run.catch((error: { stdout: string }) => error)
    // What the program writes itself: colors, and lines that it replaces.
    const own = stdout.replace(/\u001b\[(?:\d*(?:;\d+)*m|\d?K|\?25[lh])/g, '').replace(/\r+/g, '')
    expect(own).not.toMatch(/[^\P{Cc}\t\n]|\p{Bidi_C}/u)
    expect(own.length).toBeGreaterThan(10)
  })

  it.each(['decode keys.pack.json', 'decode keys.pack.json -o out.md'])(
    'is unchanged otherwise: pack %s',
    async (args) => {
      const cwd = makeFolder(await files())
      const { stdout } = await runPack(args.split(' '), { cwd })
      expect(args.includes('-o') ? readFileSync(join(cwd, 'out.md'), 'utf8') : stdout).toBe(body)
    },
  )
})
