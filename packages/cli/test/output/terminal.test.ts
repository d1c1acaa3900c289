import { describe, expect, it } from 'vitest'
import { runInProcess } from '../../../test-kit/test/run-in-process.ts'
import { makeFolder } from '../../../test-kit/test/run-pack.ts'
import { escapeControls, formatPath } from '../../src/output/terminal.ts'

describe('escapeControls', () => {
  it.each([
    ['a\nb\r\tc', 'a\\nb\\r\\tc'],
    ['\u001B[31m\u007F\u009B', '\\u001b[31m\\u007f\\u009b'],
    ['\u2028\u202Egpj.\u2066', '\\u2028\\u202egpj.\\u2066'],
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
