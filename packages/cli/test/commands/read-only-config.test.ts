import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runInProcess } from '../../../test-kit/test/run-in-process.ts'
import { makeFolder } from '../../../test-kit/test/run-pack.ts'

const CODE = `import { writeFileSync } from 'node:fs'
writeFileSync(new URL('ran', import.meta.url), '')
export default { scheme: 'none' }
`

describe('commands that only read', () => {
  const COMMANDS = [[['check']], [['diff', 'a.md', 'b.md']]]

  it.each(COMMANDS)('run no configuration that they find: %j', async (args) => {
    const cwd = makeFolder({ 'packs.config.mjs': CODE, 'a.md': '# A log\n', 'b.md': '# B\n' })
    await runInProcess(['build', 'a.md', '--config', 'none'], { cwd })
    const { status, stderr } = await runInProcess(args, { cwd })
    expect({ status, ran: existsSync(join(cwd, 'ran')) }).toEqual({ status: 0, ran: false })
    expect(stderr).toContain(
      'warning: packs.config.mjs is not used: this command runs no code that it finds; name it with --config to run it',
    )
  })

  it.each(COMMANDS)('run one that is named: %j', async (args) => {
    const cwd = makeFolder({ 'packs.config.mjs': CODE, 'a.md': '# A log\n', 'b.md': '# B\n' })
    await runInProcess(['build', 'a.md', '--config', 'none'], { cwd })
    const { status } = await runInProcess([...args, '--config', 'packs.config.mjs'], { cwd })
    expect({ status, ran: existsSync(join(cwd, 'ran')) }).toEqual({ status: 0, ran: true })
  })
})
