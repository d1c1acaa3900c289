import { expect, it } from 'vitest'
import { makeFolder, runPack } from '../../../test-kit/test/run-pack.ts'

const env = { DATABASE_URL: '', REDIS_URL: '', PACK_DATA: 'data' }

// Most tests of these commands run in the process of the test, which neither exits nor has to close what it opened.
it('every command on a catalog ends its process with its own status', async () => {
  const cwd = makeFolder({ 'tls.md': '# TLS\n' })
  const email = 'ada@example.org'
  for (const [args, status, printed] of [
    [['publish', 'tls.md'], 0, /^1 published\npack .*\ntls +1\.0\.0 /],
    [['jobs'], 0, /^tls-\S+ +completed +\S+ \S+ +1$/m],
    [['verify', '--all'], 0, /^ok 1 version: no damage$/m],
    [['yank', 'tls@1.0.0', '--reason', 'wrong'], 0, /^yanked tls@1\.0\.0\n$/],
    [['yank', 'tls@2.0.0', '--undo'], 1, /^$/],
    [['accounts', 'create', '--email', email], 0, /^(?:\w{5}-){4}\w{5}\n$/],
    [['keys', 'create', '--account', email, '--name', 'ci'], 0, /^kp_\w+\n$/],
    [['mode', 'recovery'], 0, /^recovery since /],
    [['audit', '--limit', '1'], 0, /mode\.switched/],
  ] as const) {
    const run = await runPack(args, { cwd, env })
    expect([args, run.status]).toEqual([args, status])
    expect(run.stdout).toMatch(printed)
  }
})
