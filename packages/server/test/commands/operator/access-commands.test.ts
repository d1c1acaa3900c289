import { verifyKey } from '@packs/catalog'
import { isKeyText } from '../../../../catalog/src/accounts/issue-key.ts'
import { describe, expect, it } from 'vitest'
import { makeCatalogFolder, readJson } from '../../../../test-kit/test/catalog-folder.ts'
import { runInProcess } from '../../../../test-kit/test/run-in-process.ts'
import { runPack } from '../../../../test-kit/test/run-pack.ts'

const EMAIL = 'ada@example.org'

describe('pack accounts', () => {
  it('creates an account with a claim code, lists it and changes it', async () => {
    const { run, open } = makeCatalogFolder()
    const created = readJson(
      await run('accounts', 'create', '--email', ' Ada@example.org', '--tier', 'pro', '--json'),
    )
    const account = {
      id: expect.stringMatching(/^ac_[0-9a-f]{32}$/),
      email: EMAIL,
      tier: 'pro',
      daily: null,
      verified: true,
      disabled: false,
      pending: null,
    }
    expect(created).toEqual({ ...account, claim_code: expect.stringMatching(/^(?:\w{5}-){4}\w{5}$/) })
    const changed = await run('accounts', 'set-tier', EMAIL, 'free', '--daily', '25', '--json')
    expect(readJson(changed)).toEqual({ ...account, tier: 'free', daily: 25 })
    const listed = readJson(await run('accounts', 'list', '--json'))
    expect(listed).toEqual({ accounts: [{ ...account, tier: 'free', daily: 25 }] })
    expect((await run('accounts', 'set-tier', EMAIL, 'pro', '--daily', 'none')).stdout).toBe(
      'ada@example.org: pro with 1,000 requests a day\n',
    )
    const table = await run('accounts', 'list')
    expect(table.stdout).toMatch(
      /^email +state +tier +daily +created +id\nada@example\.org +verified +pro +1,000 +\S+ +ac_\S+\n$/,
    )
    const catalog = await open()
    expect(await catalog.accounts.checkCode(EMAIL, String(created['claim_code']), new Date())).toMatchObject({
      tier: 'pro',
    })
  })

  it('prints only the claim code on stdout, and refuses an address that is taken or invalid', async () => {
    const { run } = makeCatalogFolder()
    const created = await run('accounts', 'create', '--email', EMAIL)
    expect(created.stdout).toMatch(/^(?:[0-9A-Z]{5}-){4}[0-9A-Z]{5}\n$/)
    expect(created.stderr).toBe(
      'created ada@example.org, free with 10 requests a day; send its owner this claim code, shown only once:\n',
    )
    const taken = await run('accounts', 'create', '--email', EMAIL, '--json')
    expect([taken.status, readJson(taken)]).toMatchObject([4, { ok: false, error: { code: 'email_taken' } }])
    const wrong = await run('accounts', 'create', '--email', 'ada', '--json')
    expect([wrong.status, readJson(wrong)]).toMatchObject([2, { error: { code: 'invalid_account' } }])
    const unknown = await run('accounts', 'set-tier', 'bob@example.org', 'pro', '--json')
    expect([unknown.status, readJson(unknown)]).toMatchObject([1, { error: { code: 'unknown_account' } }])
  })
})

describe('pack keys', () => {
  it('creates, lists, rotates and revokes keys, each shown once', async () => {
    const { run, open } = makeCatalogFolder()
    await run('accounts', 'create', '--email', EMAIL)
    const created = readJson(await run('keys', 'create', '--account', EMAIL, '--name', 'ci', '--json'))
    const { id, key } = created as { id: string; key: string }
    expect(created).toEqual({
      id: expect.stringMatching(/^key_[0-9a-f]{32}$/),
      key: expect.stringMatching(/^kp_[0-9A-Za-z]{36}$/),
      name: 'ci',
      last4: key.slice(-4),
      expires_at: null,
    })
    const rotated = await run('keys', 'rotate', id)
    expect(rotated.stdout).toMatch(/^kp_[0-9A-Za-z]{36}\n$/)
    const next = rotated.stdout.trim()
    expect(isKeyText(next)).toBe(true)
    const nextId = /created (key_\w+);/.exec(rotated.stderr)![1]!
    expect(readJson(await run('keys', 'revoke', nextId, '--json'))).toEqual({
      ok: true,
      id: nextId,
      revoked_at: expect.stringMatching(/^\d{4}-\S+Z$/),
    })
    const listed = await run('keys', 'list', '--account', EMAIL, '--json')
    expect(readJson(listed)).toMatchObject({ keys: [{ id, last4: key.slice(-4) }, { id: nextId }] })
    const table = await run('keys', 'list', '--account', EMAIL)
    expect(table.stdout).toMatch(/^state .*\nreplaced +….... +ci .*\nrevoked +….... +ci .*\n$/)
    for (const { stdout } of [listed, table]) expect(stdout).not.toMatch(/kp_|[0-9a-f]{64}/)
    const catalog = await open()
    const now = new Date()
    expect(await verifyKey(catalog, key, now)).toMatchObject({ account: { email: EMAIL }, key: { id } })
    expect(await verifyKey(catalog, next, now)).toBeUndefined()
  })

  it('refuses a sixth key with status 4 and any key in recovery mode with 5, and does not print keys in errors', async () => {
    const { run } = makeCatalogFolder()
    await run('accounts', 'create', '--email', EMAIL)
    const create = ['keys', 'create', '--account', EMAIL, '--name', 'x', '--json']
    const keys: string[] = []
    for (let count = 0; count < 5; count++) keys.push(String(readJson(await run(...create))['key']))
    const sixth = await run(...create)
    expect([sixth.status, readJson(sixth)]).toMatchObject([4, { error: { code: 'too_many_keys' } }])
    await run('mode', 'recovery')
    const recovery = await run(...create)
    expect([recovery.status, readJson(recovery)]).toMatchObject([5, { error: { code: 'recovery_mode' } }])
    const mistaken = await run('keys', 'revoke', keys[0]!)
    expect(mistaken.status).toBe(1)
    expect(mistaken.stdout + mistaken.stderr).not.toContain(keys[0])
  })
})

describe('pack mode', () => {
  it('shows and switches the mode', async () => {
    const { run } = makeCatalogFolder()
    const none = { message: null, retry_after: null, previews: false }
    expect(readJson(await run('mode', '--json'))).toEqual({
      mode: 'online',
      since: expect.any(String),
      ...none,
    })
    const message = 'Back at ten'
    const switched = await run('mode', 'recovery', '--retry-after', '3600', '--message', message)
    expect(switched.stdout).toMatch(
      /^recovery since \S+Z\n {2}open on the pages: every pack whole, to everybody, without an account\n {2}message: Back at ten\n {2}retry after: 3600 s\n$/,
    )
    const shown = readJson(await run('mode', '--json'))
    const facts = { message, retry_after: 3600, previews: false }
    expect(shown).toEqual({ mode: 'recovery', since: /\S+Z/.exec(switched.stdout)![0], ...facts })
    const kept = await run('mode', 'recovery', '--previews')
    expect(kept.stdout).toContain('  open on the pages: what is open online\n')
    // What is not given stays, above all what is locked.
    const told = await run('mode', 'recovery', '--retry-after', '60', '--json')
    expect(readJson(told)).toMatchObject({ mode: 'recovery', message, retry_after: 60, previews: true })
    expect((await run('mode', 'online')).stdout).toMatch(/^online since \S+Z\n$/)
    expect((await run('mode', 'recovery')).stdout).toMatch(/whole, to everybody, without an account\n$/)
  })

  it.each<readonly [args: readonly string[], message: string]>([
    [['mode', 'offline'], "the mode must be online or recovery, not 'offline'"],
    ...[['online', '--message', 'x'], ['--retry-after', '5'], ['online', '--previews'], ['--previews']].map(
      (args): [string[], string] => [
        ['mode', ...args],
        '--retry-after, --message and --previews apply only to recovery mode',
      ],
    ),
    [
      ['mode', 'recovery', '--message', 'a\nb'],
      '--message is empty, too long, or contains control characters',
    ],
    [['accounts', 'set-tier', EMAIL, 'gold'], "the tier must be free or pro, not 'gold'"],
    ...['1e1', '-5', '1.5', '', 'all', '1000000000'].map((daily): [string[], string] => [
      ['accounts', 'set-tier', EMAIL, 'pro', '--daily', daily],
      `option '--daily <n>' argument '${daily}' is invalid. Use a whole number from 0 to 999,999,999, or none for the quota of the tier.`,
    ]),
    [['accounts', 'creat'], "unknown command 'creat'"],
    [['keys', 'create', '--name', 'x'], "required option '--account <email>' not specified"],
  ])('refuses %j', async (args, message) => {
    const { run } = makeCatalogFolder()
    const refused = await run(...args)
    expect(refused).toMatchObject({ status: 2, stdout: '' })
    expect(refused.stderr).toContain(message)
    expect(refused.stderr).toMatch(/\nhint: ./)
  })

  it('exits with 5 if the database is unreachable, without printing its password', async () => {
    const env = { DATABASE_URL: 'postgres://ada:hunter2@127.0.0.1:1/packs' }
    const unreachable = await runInProcess(['mode', '--json'], { env })
    expect([unreachable.status, readJson(unreachable)]).toMatchObject([
      5,
      { error: { code: 'catalog_unavailable' } },
    ])
    expect(unreachable.stdout + unreachable.stderr).not.toContain('hunter2')
  })
})

describe('groups of commands', () => {
  it.each(['accounts', 'keys'])(
    'print help for %s with --help, with help and, with status 2, without a subcommand',
    async (name) => {
      const [option, command, alone] = await Promise.all([
        runPack([name, '--help']),
        runPack(['help', name]),
        runPack([name]),
      ])
      expect(option).toMatchObject({ status: 0, stderr: '' })
      expect(option.stdout).toMatch(/Examples:\n {2}\$ pack /)
      expect(command.stdout).toBe(option.stdout)
      expect(alone).toMatchObject({ status: 2, stdout: '', stderr: option.stdout })
      const part = await runInProcess(['help', name, 'list'])
      expect(part).toMatchObject({ status: 0, stdout: expect.stringContaining(`Usage: pack ${name} list `) })
      expect(part.stdout).toContain('--json')
    },
  )
})
