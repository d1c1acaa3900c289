import { expect, it } from 'vitest'
import { startApi } from '../../test-kit/test/start-api.ts'
import { createTestSigner } from '../../test-kit/test/sign-pack.ts'
import { makeVersion } from '../../test-kit/test/make-version.ts'
import { createClient, createMemoryCache } from '../src/index.ts'

const texts = ['Rotate a certificate before it expires.', 'Water the walnut.']
const versions = texts.map((text, at) =>
  makeVersion({ slug: `pack-${at}`, content: `# Pack ${at}\n\n${text}\n` }),
)
const api = await startApi({ versions })
const url = `http://127.0.0.1:${api.port}`

it('returns the passages that answer, and asks again with the tag', async () => {
  const { key } = await api.addCustomer('pro', 10)
  const cache = createMemoryCache({ bytes: 100_000 })
  const client = createClient({ url, key, cache, timeout: 60_000 })
  const found = await client.context('rotate a certificate', { budget: 500, packs: ['pack-0', 'pack-1'] })
  expect(found).toMatchObject({ budget: 500, stale: false, passages: [{ pack: 'pack-0' }] })
  expect(found.text).toContain('Rotate a certificate before it expires.')
  expect(await client.context('rotate a certificate', { budget: 500, packs: ['pack-0', 'pack-1'] })).toEqual(
    found,
  )
  expect(await client.usage()).toMatchObject({ used: 1 })
})

it('says what is wrong with a question', async () => {
  const client = createClient({ url, key: api.pro.key })
  await expect(client.context('')).rejects.toMatchObject({ code: 'invalid_parameter' })
  await expect(client.context('walnut', { budget: 5 })).rejects.toMatchObject({ code: 'invalid_parameter' })
  await expect(client.context('walnut', { packs: ['unknown'] })).rejects.toMatchObject({
    code: 'pack_not_found',
  })
  await expect(client.context('walnut', { packs: [] })).rejects.toMatchObject({
    code: 'invalid_option',
    message: 'The option packs is not a list of one or more names',
    hint: 'Pass a valid value for this option.',
  })
  await expect(client.context(undefined as unknown as string)).rejects.toMatchObject({
    code: 'invalid_option',
    message: 'The option question is not a string',
  })
  await expect(client.context('x'.repeat(401))).rejects.toMatchObject({ code: 'invalid_parameter' })
  await expect(client.context('walnut', { packs: ['pack-0@1.0.0'] })).rejects.toMatchObject({
    code: 'invalid_parameter',
  })
  const { key } = await api.addCustomer('pro', 3)
  await expect(createClient({ url, key }).context('walnut', { budget: 16_000 })).rejects.toMatchObject({
    code: 'quota_exceeded',
  })
})

it('has none with a lock or signers, because passages cannot be verified', async () => {
  const lock = { lockfile_version: 1, packs: {} } as const
  for (const options of [{ lock }, { signers: [createTestSigner(1).id] }])
    await expect(createClient({ url, key: api.pro.key, ...options }).context('walnut')).rejects.toMatchObject(
      {
        code: 'invalid_option',
        message: 'With a lock or signers there is no context',
        hint: 'Read sections, or run pack context --lock.',
      },
    )
})
