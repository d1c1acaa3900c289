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

describe('packs.section', () => {
  it('is the same from the API and from the pack that a lock pins', async () => {
    const section = await pro.packs.section('tls-certificates@^1', 'rotation', { subtree: true })
    expect(section).toMatchObject({ version: '1.1.0', section: 'rotation', title: 'Rotation' })
    expect(decode(section.content, section.rosetta)).toMatch(/^## Rotation\n[^]*Thirty days before\.\n\n$/)
  })
})

describe('iterables', () => {
  it('yield hits, packs and entries of a download', async () => {
    const [hit] = await collect(pro.search('rotate a client certificate', { limit: 1 }))
    expect(hit).toMatchObject({ section: { id: 'rotation' }, stale: false })
    const listed = await collect(pro.packs.list())
    expect(listed.map(({ slug }) => slug)).toEqual(['http-status-codes', 'plain', 'tls-certificates'])
    const entries = await collect(pro.packs.download())
    expect(entries.map(({ kind }) => kind)).toEqual(['pack', 'pack', 'pack'])
  })
})

describe('prompt', () => {
  it('composes the packs of names', async () => {
    const prompt = await pro.prompt(['tls-certificates@^1', 'http-status-codes'])
    expect(prompt.from.map(({ slug, version }) => `${slug} ${version}`)).toEqual([
      'tls-certificates 1.1.0',
      'http-status-codes 1.0.0',
    ])
    expect(decode(prompt.text, prompt.rosetta)).toContain('Rotate a client certificate')
  })

  it('refuses previews', async () => {
    await expect(free.prompt(['tls-certificates'])).rejects.toMatchObject({ code: 'preview_only' })
  })
})
