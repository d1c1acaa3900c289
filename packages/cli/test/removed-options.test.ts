import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { REMOVED_OPTIONS } from '../src/program.ts'
import { runInProcess } from './run-in-process.ts'
import { makeFolder } from './run-pack.ts'

describe('removed options', () => {
  it.each(REMOVED_OPTIONS.map((removed) => [removed.command, removed.option, removed.instead]))(
    'says what to use instead of pack %s %s',
    async (command, option, instead) => {
      for (const given of [
        [option, 'a.md'],
        [`${option}=x`, 'a.md'],
        ['a.md', option],
      ]) {
        const cwd = makeFolder({ 'a.md': '# A\n' })
        const run = await runInProcess([...command.split(' '), ...given, '--json'], { cwd })
        expect(run.status).toBe(2)
        expect(JSON.parse(run.stdout)).toEqual({
          ok: false,
          error: expect.objectContaining({
            code: 'usage',
            message: `${option} was removed`,
            hint: instead,
          }),
        })
        expect(existsSync(join(cwd, 'dist'))).toBe(false)
      }
    },
  )

  it('are in no help', async () => {
    for (const { command, option } of REMOVED_OPTIONS)
      expect((await runInProcess(['help', ...command.split(' ')])).stdout).not.toMatch(
        new RegExp(`^ +(?:-., )?${option}[ =]`, 'm'),
      )
  })
})
