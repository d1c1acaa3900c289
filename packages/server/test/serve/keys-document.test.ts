import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeFolder } from '../../../test-kit/test/run-pack.ts'
import { createTestSigner } from '../../../test-kit/test/sign-pack.ts'
import { openKeys } from '../../src/services/read-keys.ts'
import { startServer } from '../../../test-kit/test/start-server.ts'

const { id: kid, publicKey: x } = createTestSigner(1)
const key = (status: string) => ({ kid, kty: 'OKP', crv: 'Ed25519', x, status })
const document = (status: string) => JSON.stringify({ keys: [key(status)] })

/** Opens a keys document, with what is logged about it. */
async function open(text: string) {
  const path = join(makeFolder(), 'packs-keys.json')
  writeFileSync(path, text)
  const logged: unknown[] = []
  const read = await openKeys(path, true, { error: (fields: unknown) => void logged.push(fields) })
  return { path, read, logged }
}

describe('openKeys', () => {
  it('reads the document again when it changes', async () => {
    const { path, read } = await open(document('active'))
    expect(await read()).toMatchObject({ keys: [{ status: 'active' }] })
    writeFileSync(path, document('revoked'))
    expect(await read()).toMatchObject({ keys: [{ status: 'revoked' }] })
    rmSync(path)
    expect(await read()).toBeUndefined()
  })

  it('serves the document before one that cannot be used, and logs that once', async () => {
    const { path, read, logged } = await open(document('active'))
    writeFileSync(path, '{')
    for (let time = 0; time < 3; time++) expect(await read()).toMatchObject({ keys: [{ status: 'active' }] })
    expect(logged).toMatchObject([{ code: 'invalid_keys' }])
  })

  it.each([
    ['cannot be used', '{', 'invalid_keys'],
    ['is too large', ' '.repeat(300_000), 'invalid_keys'],
  ])('refuses to start with a document that %s', async (_, text, code) => {
    await expect(open(text)).rejects.toMatchObject({ code })
  })
})

describe('pack serve', () => {
  it('serves the keys document of the data folder to everybody once there is one, and revalidates it', async () => {
    const data = makeFolder()
    const { url } = await startServer(['--data', data])
    const address = `${url}/.well-known/packs-keys.json`
    const missing = await fetch(address)
    expect(missing.status).toBe(404)
    expect(await missing.json()).toMatchObject({
      code: 'not_found',
      detail: expect.stringContaining('Ask the publisher'),
    })
    writeFileSync(join(data, 'packs-keys.json'), document('active'))
    const answer = await fetch(address)
    expect(answer.status).toBe(200)
    expect(await answer.json()).toEqual({ keys: [key('active')] })
    expect(answer.headers.get('cache-control')).toBe('public, max-age=300')
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    const etag = answer.headers.get('etag')!
    expect((await fetch(address, { headers: { 'if-none-match': etag } })).status).toBe(304)
    writeFileSync(join(data, 'packs-keys.json'), document('revoked'))
    const later = await fetch(address, { headers: { 'if-none-match': etag } })
    expect([later.status, await later.json()]).toEqual([200, { keys: [key('revoked')] }])
  })
})
