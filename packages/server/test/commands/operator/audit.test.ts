import { describe, expect, it } from 'vitest'
import { makeCatalogFolder, type CatalogFolder } from '../../../../test-kit/test/catalog-folder.ts'
import type { Printed } from '../../../../test-kit/test/run-in-process.ts'

const EMAIL = 'ada@example.org'

const openFolder = (name = 'grace', files: Readonly<Record<string, string>> = {}): CatalogFolder =>
  makeCatalogFolder(files, { PACK_OPERATOR_NAME: name })

interface Log {
  readonly entries: readonly {
    readonly id: number
    readonly at: string
    readonly action: string
    readonly actor: { readonly kind: string; readonly id: string }
    readonly account_id: string | null
    readonly target: string | null
    readonly details: Readonly<Record<string, unknown>>
  }[]
  readonly next: number | null
}

function parse(run: Printed): Log {
  return JSON.parse(run.stdout) as Log
}

describe('pack audit', () => {
  it('shows what commands changed, by whom, newest first, and nothing that changed nothing', async () => {
    const { run } = openFolder()
    await run('accounts', 'create', '--email', EMAIL)
    await run('accounts', 'set-tier', EMAIL, 'pro')
    await run('accounts', 'set-tier', EMAIL, 'pro')
    const created = await run('keys', 'create', '--account', EMAIL, '--name', 'ci', '--json')
    const { id, key, last4 } = JSON.parse(created.stdout) as Record<string, string>
    await run('keys', 'revoke', id!)
    await run('keys', 'revoke', id!)
    await run('mode', 'recovery', '--message', 'Back at ten')
    const { entries, next } = parse(await run('audit', '--json'))
    expect(next).toBeNull()
    expect(entries.map(({ action, target, details }) => [action, target, details])).toEqual([
      [
        'mode.switched',
        null,
        { mode_before: 'online', mode: 'recovery', message: 'Back at ten', retry_after: null },
      ],
      ['key.revoked', id, { name: 'ci', last4 }],
      ['key.created', id, { name: 'ci', last4 }],
      ['account.tier_changed', null, { tier_before: 'free', tier: 'pro', daily_before: null, daily: null }],
      ['account.created', null, { tier: 'free', daily: null }],
    ])
    expect(new Set(entries.map(({ actor }) => `${actor.kind} ${actor.id}`))).toEqual(
      new Set(['operator grace']),
    )
    const { stdout, stderr } = await run('audit')
    const lines = stdout.trimEnd().split('\n')
    expect(lines[0]).toMatch(/^time +action +on +by +details +id$/)
    expect(lines[1]).toMatch(
      /^\d{4}-\d\d-\d\d \d\d:\d\d +mode\.switched +operator grace +mode_before=online mode=recovery message="Back at ten" +5$/,
    )
    expect(lines[2]).toMatch(
      RegExp(`key\\.revoked +${id} +operator grace +account=${EMAIL} name=ci last4=${last4} +\\d+$`),
    )
    expect(stderr).toBe('')
    expect(stdout).not.toContain(key)
  })

  it('records publishes and yanks with their version', async () => {
    const source =
      '---\ntitle: A\ndomain: D\nsubdomain: S\ndifficulty: beginner\n---\n# A\n\nA secret text.\n'
    const { run } = openFolder('grace', { 'a.md': source })
    const published = await run('publish', 'a.md')
    expect(published.status).toBe(0)
    await run('publish', 'a.md')
    await run('yank', 'a@1.0.0', '--reason', 'wrong table')
    await run('yank', 'a@1.0.0', '--undo')
    const listed = await run('audit', '--json')
    const { entries } = parse(listed)
    expect(entries.map(({ actor, action, target, details }) => [actor.id, action, target, details])).toEqual([
      ['grace', 'version.restored', 'a@1.0.0', { reason: null, reason_before: 'wrong table' }],
      ['grace', 'version.yanked', 'a@1.0.0', { reason: 'wrong table', reason_before: null }],
      ['grace', 'version.published', 'a@1.0.0', { job: expect.stringMatching(/^a-[0-9a-f]{32}$/) }],
    ])
    expect(listed.stdout).not.toContain('secret')
  })

  it('filters by age, account and action, and pages', async () => {
    const { run, open } = openFolder()
    const day = 24 * 3_600_000
    const owners: string[] = []
    for (const [at, age] of [20, 10, 1].entries()) {
      const catalog = await open(() => new Date(Date.now() - age * day))
      const actor = { kind: 'operator', id: 'grace' } as const
      owners.push((await catalog.accounts.create({ email: `u${at}@example.org`, tier: 'free', actor })).id)
      if (at === 1) await catalog.settings.setMode('recovery', { actor })
    }
    const list = async (...args: string[]): Promise<readonly number[]> =>
      parse(await run('audit', '--json', ...args)).entries.map(({ id }) => id)
    expect(await list()).toEqual([4, 3, 2, 1])
    expect(await list('--since', '2w')).toEqual([4, 3, 2])
    expect(await list('--since', '36h')).toEqual([4])
    expect(await list('--since', new Date(Date.now() - 15 * day).toISOString().slice(0, 10))).toEqual([
      4, 3, 2,
    ])
    expect(await list('--account', 'U1@example.org')).toEqual([2])
    expect(await list('--account', owners[0]!)).toEqual([1])
    expect(await list('--account', 'ac_deleted')).toEqual([])
    expect(await list('--action', 'mode.switched')).toEqual([3])
    const page = await run('audit', '--limit', '2')
    expect(page.stderr).toBe('to see more, add --before 3\n')
    expect(parse(await run('audit', '--limit', '2', '--json')).next).toBe(3)
    expect(await list('--limit', '2', '--before', '3')).toEqual([2, 1])
  })

  it.each([
    ['--since', ['yesterday']],
    ['--since', ['']],
    ['--since', ['-3d']],
    ['--since', ['7']],
    ['--since', ['2026-02-30']],
    ['--since', ['2026-03-01T08:00:00']],
    ['--since', ['9999-01-01']],
    ['--since', ["1d'; drop table audit_log; --"]],
    ['--limit', ['0']],
    ['--limit', ['1001']],
    ['--before', ['x']],
    ['--action', ['key.\u001B[2J']],
  ])('rejects a wrong %s: %j', async (option, [value]) => {
    const { run } = openFolder()
    const { status, stdout, stderr } = await run('audit', `${option}=${value}`)
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toContain(option)
    expect(stderr).not.toContain('\u001B[2J')
  })

  it('says that an unknown address may be that of a deleted account', async () => {
    const { run } = openFolder()
    const found = await run('audit', '--account', 'gone@example.org', '--json')
    expect(found.status).toBe(1)
    expect(JSON.parse(found.stdout)).toMatchObject({
      error: { code: 'unknown_account', hint: expect.stringContaining('account.deleted') as string },
    })
  })

  it('escapes hostile names, and shows no entries where there is no catalog', async () => {
    const { run, open } = openFolder(`\u001B]0;x\u0007${'z'.repeat(5000)}`)
    const none = await run('audit')
    expect(none).toMatchObject({ status: 0, stdout: '' })
    expect(none.stderr).toMatch(/^note: there is no catalog at .*catalog\.sqlite yet\nno entries\n$/)
    await run('accounts', 'create', '--email', EMAIL)
    const catalog = await open()
    const actor = { kind: 'operator', id: '\u202Eevil\nroot \u0000' } as const
    await catalog.settings.setMode('recovery', { message: '\u001B[31m" name=x', actor })
    const { stdout } = await run('audit')
    expect(stdout.trimEnd().split('\n')).toHaveLength(3)
    expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202E]/u)
    expect(stdout).toContain(String.raw`message="\u001b[31m\" name=x"`)
    expect(stdout.split('\n').every((line) => line.length < 300)).toBe(true)
    expect(parse(await run('audit', '--json')).entries).toHaveLength(2)
  })
})
