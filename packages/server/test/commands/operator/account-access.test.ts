import { randomBytes } from 'node:crypto'
import { verifyKey, type Catalog } from '@packs/catalog'
import { describe, expect, it } from 'vitest'
import { makeCatalogFolder, readJson } from '../../../../test-kit/test/catalog-folder.ts'
import { actor } from '../../../../test-kit/test/make-version.ts'
import type { Printed } from '../../../../test-kit/test/run-in-process.ts'

const EMAIL = 'ada@example.org'
const CODE = /^(?:[0-9A-Z]{5}-){4}[0-9A-Z]{5}$/

/** Opens a catalog in which somebody has signed up, and runs `pack accounts` on it. */
async function openFolder(): Promise<{
  catalog: Catalog
  accounts: (...args: string[]) => Promise<Printed>
}> {
  const { run, open } = makeCatalogFolder()
  const catalog = await open()
  const id = `ac_${randomBytes(16).toString('hex')}`
  await catalog.accounts.create({ id, email: EMAIL, tier: 'free', actor })
  return { catalog, accounts: (...args) => run('accounts', ...args) }
}

describe('pack accounts', () => {
  it('gives a code for a higher tier of somebody who signed up, or raises it with --unverified', async () => {
    const { accounts } = await openFolder()
    const offered = await accounts('set-tier', EMAIL, 'pro', '--daily', '5000')
    expect(offered.status).toBe(0)
    expect(offered.stdout.trim()).toMatch(CODE)
    expect(offered.stderr).toMatch(
      /^ada@example\.org is unverified and stays free; its owner gets pro by entering this code, shown only once:\nsend it to this email only/,
    )
    const shown = await accounts('show', EMAIL)
    expect(shown.stdout).toMatch(/ {2}tier: free with 10 requests a day\n {2}state: unverified\n/)
    expect(shown.stdout).toContain('  once verified: pro with 5,000 requests a day\n')
    const json = readJson(await accounts('set-tier', EMAIL, 'pro', '--json'))
    expect(json).toMatchObject({
      tier: 'free',
      verified: false,
      pending: { tier: 'pro', daily: null },
      code: expect.stringMatching(CODE),
      code_expires_at: expect.stringMatching(/Z$/),
    })
    const same = await accounts('set-tier', EMAIL, 'free', '--daily', '25')
    expect([same.status, same.stdout]).toEqual([0, 'ada@example.org: free with 25 requests a day\n'])
    const raised = readJson(await accounts('set-tier', EMAIL, 'pro', '--unverified', '--json'))
    expect(raised).toMatchObject({ tier: 'pro', verified: false, pending: null })
    expect(raised).not.toHaveProperty('code')
    expect((await accounts('list')).stdout).toMatch(/ada@example\.org +unverified +pro +25 /)
  })

  it('resets, disables, enables and deletes an account', async () => {
    const { catalog, accounts } = await openFolder()
    const { key } = await catalog.keys.create({ accountId: EMAIL, name: 'ci', actor }, new Date())
    const works = async (): Promise<boolean> => (await verifyKey(catalog, key, new Date())) !== undefined
    expect(await accounts('disable', EMAIL)).toMatchObject({ status: 0, stdout: `disabled ${EMAIL}\n` })
    expect(await works()).toBe(false)
    expect(readJson(await accounts('disable', EMAIL, '--json'))).toMatchObject({ disabled: true })
    expect((await accounts('list')).stdout).toMatch(/ unverified, disabled /)
    expect(await accounts('enable', EMAIL)).toMatchObject({ status: 0, stdout: `enabled ${EMAIL}\n` })
    expect(await works()).toBe(true)

    const reset = await accounts('reset', EMAIL)
    expect([reset.status, CODE.test(reset.stdout.trim())]).toEqual([0, true])
    expect(reset.stderr).toMatch(/^reset ada@example\.org: its sessions, keys and password no longer work; /)
    expect(await works()).toBe(false)
    expect(readJson(await accounts('reset', EMAIL, '--json'))).toMatchObject({
      email: EMAIL,
      code: expect.stringMatching(CODE),
      code_expires_at: expect.stringMatching(/Z$/),
    })

    const refused = await accounts('delete', EMAIL)
    expect(refused).toMatchObject({ status: 2, stdout: '' })
    expect(refused.stderr).toContain('hint: add --yes to confirm')
    const { id } = (await catalog.accounts.find(EMAIL))!
    expect(readJson(await accounts('delete', EMAIL, '--yes', '--json'))).toEqual({
      ok: true,
      id,
      email: EMAIL,
    })
    expect(await catalog.accounts.find(EMAIL)).toBeUndefined()
    expect(await catalog.audit.list({ limit: 1 })).toMatchObject([
      { action: 'account.deleted', account_id: id, actor: { kind: 'operator' } },
    ])
  })

  it.each([['show'], ['reset'], ['disable'], ['enable'], ['delete', '--yes']])(
    '%s fails with status 1 for an unknown account',
    async (name, ...options) => {
      const { accounts } = await openFolder()
      const unknown = await accounts(name, 'bob@example.org', ...options, '--json')
      expect([unknown.status, readJson(unknown)]).toMatchObject([1, { error: { code: 'unknown_account' } }])
    },
  )
})
