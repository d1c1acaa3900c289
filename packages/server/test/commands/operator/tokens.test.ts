import { expect, it } from 'vitest'
import { makeCatalogFolder, readJson } from '../../../../test-kit/test/catalog-folder.ts'

it('creates, lists and revokes publish tokens, each shown once', async () => {
  const { run, open } = makeCatalogFolder()
  const created = readJson(
    await run('tokens', 'create', '--slug', 'docs-*', '--name', 'ci', '--expires', '90', '--json'),
  )
  const { token, id } = created as { token: string; id: string }
  expect(created).toMatchObject({ slug: 'docs-*', name: 'ci', last4: token.slice(-4) })
  const { created_at: from, expires_at: to } = created as { created_at: string; expires_at: string }
  expect(Date.parse(to) - Date.parse(from)).toBe(90 * 24 * 60 * 60 * 1000)
  expect(await (await open()).tokens.use(token, new Date())).toMatchObject({ id })

  const second = await run('tokens', 'create')
  expect(second.stdout).toMatch(/^kpub_[0-9A-Za-z]{36}\n$/)
  expect(second.stderr).toMatch(/^created tok_[0-9a-f]{32}; the token is shown only once:\n$/)
  const table = await run('tokens', 'list')
  expect(table.stdout).toMatch(/^state +publishes .*\nactive +docs-\* +….{4} +ci .*\nactive +\* +….{4} +\* /)
  expect(table.stdout).not.toContain('kpub_')

  expect((await run('tokens', 'revoke', id)).stdout).toBe(`revoked ${id}\n`)
  const { tokens } = readJson(await run('tokens', 'list', '--json')) as { tokens: { revoked_at: unknown }[] }
  expect(tokens.map(({ revoked_at }) => revoked_at !== null)).toEqual([true, false])
  expect(JSON.stringify(tokens)).not.toMatch(/sha256|kpub_/)
  const log = await run('audit', '--action', 'token.revoked')
  expect(log.stdout).toContain('docs-*')
  expect(await (await open()).tokens.use(token, new Date())).toBeUndefined()
})

it('refuses a wrong pattern, a time without end and an unknown id', async () => {
  const { run } = makeCatalogFolder()
  const refused = async (...args: string[]): Promise<unknown> => {
    const done = await run('tokens', ...args, '--json')
    return [done.status, (readJson(done)['error'] as { code: string }).code]
  }
  expect(await refused('create', '--slug', 'a*b*')).toEqual([2, 'invalid_token'])
  expect(await refused('create', '--expires', '999999999')).toEqual([2, 'invalid_token'])
  expect(await refused('revoke', 'tok_1')).toEqual([1, 'unknown_token'])
})
