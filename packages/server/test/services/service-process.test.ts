import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const folder = fileURLToPath(new URL('../../src/services', import.meta.url))

// Runs in a child process, because redirecting the console cannot be undone.
const PROGRAM = `
import { createLog, redirectConsole } from '${folder}/service-process.ts'
redirectConsole(createLog())
console.warn('[WARN] of redis://ada:hush@127.0.0.1:6379', { args: ['hush'] })
console.error(Object.assign(new Error('AUTH hush'), { command: { args: ['hush'] } }))
console.error(Object.assign(new Error('hush'), { code: 'ECONNRESET' }))
console.log('first\\nhush')
console.info({ password: 'hush' })
process.emitWarning('x'.repeat(300), 'DeprecationWarning', 'DEP0')
`

it('logs console output and warnings as JSON, only the first line and no error messages', () => {
  const run = spawnSync(process.execPath, ['-C', 'source', '--input-type=module-typescript', '-e', PROGRAM], {
    encoding: 'utf8',
  })
  expect(run.stdout).toBe('')
  const lines = run.stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(lines.map(({ level, kind, text, msg }) => [level, kind, text, msg])).toEqual([
    [40, undefined, '[WARN] of redis://127.0.0.1:6379', 'console output'],
    [40, 'Error', undefined, 'console output'],
    [40, 'ECONNRESET', undefined, 'console output'],
    [40, undefined, 'first', 'console output'],
    [40, undefined, undefined, 'console output'],
    [40, 'DeprecationWarning', 'x'.repeat(200), 'Node.js warning'],
  ])
})
