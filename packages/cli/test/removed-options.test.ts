import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { REMOVED } from '../src/program.ts'
import { runInProcess } from '../../test-kit/test/run-in-process.ts'
import { makeFolder } from '../../test-kit/test/run-pack.ts'

const options = REMOVED.filter(({ option }) => option !== '')

describe('removed options', () => {
  it.each(options.map((removed) => [removed.command, removed.option, removed.instead]))(
    'says what to use instead of pack %s %s',
    async (command, option, instead) => {
      const cwd = makeFolder({ 'a.md': '# A\n' })
      const run = await runInProcess([...command.split(' '), 'a.md', option, '--json'], { cwd })
      expect(run.status).toBe(2)
      const error = { code: 'usage', message: `${option} was removed`, hint: instead }
      expect(JSON.parse(run.stdout)).toEqual({ ok: false, error: expect.objectContaining(error) })
      expect(existsSync(join(cwd, 'dist'))).toBe(false)
    },
  )

  it.each([
    ['--format', 'github'],
    ['--format=github', 'a.md'],
  ])('are refused with and without a value: %s %s', async (...given) => {
    const { status, stderr } = await runInProcess(['build', ...given], { cwd: makeFolder() })
    expect([status, stderr]).toEqual([2, expect.stringContaining('error: --format was removed')])
  })
})

it.each(REMOVED.filter(({ option }) => option === ''))(
  'says what to use instead of pack $command',
  async ({ command, instead }) => {
    for (const args of [[command], [command, 'tls', '--lock', 'x'], ['help', command]]) {
      const { status, stderr } = await runInProcess(args)
      expect({ status, stderr }).toEqual({
        status: 2,
        stderr: `error: pack ${command} was removed\nhint: ${instead}\n`,
      })
    }
  },
)
