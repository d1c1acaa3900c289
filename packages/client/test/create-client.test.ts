import { decode } from '@packs/codec'
import { describe, expect, it } from 'vitest'
import { createClient } from '../src/index.ts'
import { collect } from './collect.ts'
import { startCatalog } from './start-catalog.ts'

const api = await startCatalog()
const url = `http://127.0.0.1:${api.port}`
const pro = createClient({ url, key: api.pro.key })
const free = createClient({ url: `${url}/api/v1/`, key: api.free.key })

describe('packs.get', () => {
  it.each([
    ['tls-certificates', '1.1.0'],
    ['tls-certificates@^1', '1.1.0'],
    ['tls-certificates@~1.0', '1.0.0'],
    ['tls-certificates@1.0.0', '1.0.0'],
  ])('returns the version that %s names', async (name, version) => {
    const pack = await pro.packs.get(name)
    expect(pack).toMatchObject({ slug: 'tls-certificates', version, preview: false, stale: false, age: 0 })
    expect(decode(pack.content, pack.rosetta!)).toContain('Rotate a client certificate')
    expect(await pro.packs.get(`${pack.id}@${version}`)).toEqual(pack)
  })

  it('returns a preview to Free accounts', async () => {
    const pack = await free.packs.get('tls-certificates@^1')
    expect(pack).toMatchObject({ version: '1.1.0', preview: true, rosetta: null })
    expect('Before the first heading.').toContain(pack.content.slice(0, 25))
  })
})

it('iterables yield packs and entries of a download', async () => {
  const listed = await collect(pro.packs.list())
  expect(listed.map(({ slug }) => slug)).toEqual(['http-status-codes', 'plain', 'tls-certificates'])
  const entries = await collect(pro.packs.download())
  expect(entries.map(({ kind }) => kind)).toEqual(['pack', 'pack', 'pack'])
})

it('options that do not exist are refused', () => {
  expect(() => createClient({ url, kye: 'kp' } as never)).toThrow('createClient has no option "kye"')
})
