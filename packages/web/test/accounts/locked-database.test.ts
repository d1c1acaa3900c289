import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { holdSqliteLock, holdTransaction } from '../../../test-kit/test/hold-transaction.ts'
import { describeDatabases } from '../../../test-kit/test/test-database.ts'
import { startSite } from '../start-site.ts'

const EMAIL = 'ada@example.com'
const PASSWORD = 'correct horse'
const TABLES = 'sign_in_users, sign_in_sessions, sign_in_credentials, sign_in_limits, accounts, keys'

async function lockTables(url: string): Promise<() => unknown> {
  if (!url.startsWith('postgres:')) return holdSqliteLock(url)
  const held = await holdTransaction(url, `lock table ${TABLES} in access exclusive mode`)
  return () => held.release()
}

describeDatabases('pages while another process holds the lock, in %s', (database) => {
  it('answer forms with 503 and Retry-After, and work after its release', async () => {
    const url = await database.createCatalog()
    // So long that a busy machine signs in within it.
    const site = await startSite([], url, undefined, 1000)
    const cookie = await site.join(EMAIL, PASSWORD)
    await site.signIn(EMAIL, PASSWORD)
    const posts: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
      ['/settings/sign-up', { email: 'bob@example.com', password: PASSWORD, claim: '' }],
      ['/settings/sign-in', { email: EMAIL, password: PASSWORD }],
      ['/settings/keys', { name: 'laptop', token: randomUUID() }],
      ['/settings/password', { password: PASSWORD, new_password: 'another horse' }],
      ['/settings/sessions', {}],
      ['/settings/sign-out', {}],
    ]
    const unlock = await lockTables(url)
    const answers = await Promise.all(posts.map(([path, form]) => site.visit(path, { form, cookie })))
    expect(
      answers.map(({ statusCode, headers, body }, at) => [
        posts[at]![0],
        statusCode,
        headers['retry-after'],
        /data-code="(\w+)"/.exec(body)?.[1],
      ]),
    ).toEqual(posts.map(([path]) => [path, 503, '30', 'service_unavailable']))
    await unlock()
    expect((await site.visit('/settings', { cookie })).body).toContain(EMAIL)
    expect((await site.signIn(EMAIL, PASSWORD)).statusCode).toBe(303)
  })
})
