import { createPackSearch, createReader } from '@packs/catalog'
import { loadTokenizer } from '@packs/codec/compress'
import { assembleClient, createMemorySource } from '@packs/client/internal'
import { describe, expect, it } from 'vitest'
import { createCatalogSource as createClientSource } from '../../../client/src/docs/catalog-source.ts'
import { closeLater } from '../../../test-kit/test/close-later.ts'
import { openSession, type Session, type ToolAnswer } from '../../../mcp/test/open-session.ts'
import { makePack, sketches } from '../../../mcp/test/sample-packs.ts'
import { createCatalogSource } from '../../src/mcp/mount-mcp.ts'
import { startMcp } from './start-mcp.ts'

/** The packs of the catalog: memory has the same. */
const mcp = await startMcp()
const packs = await Promise.all(sketches.map(makePack))
const reader = createReader(mcp.catalog, 60_000)
closeLater(() => reader.close())
const { sections } = reader.accounts
const readers = {
  catalog: mcp.catalog,
  sections,
  packSearch: createPackSearch(mcp.catalog, sections),
  owner: '',
  onDamage: () => undefined,
}
const connect = (key: string) => createClientSource(assembleClient({ url: mcp.origin, key }), loadTokenizer)
const sources = {
  memory: createMemorySource(() => Promise.resolve(packs), loadTokenizer),
  catalog: createCatalogSource(readers, 'full'),
  client: connect(mcp.pro),
  'catalog, preview': createCatalogSource(readers, 'preview'),
  'client, preview': connect(await mcp.addKey('free', 1000)),
}
const sessions = new Map<string, Session>()
for (const [name, source] of Object.entries(sources)) sessions.set(name, await openSession(source))

/** Calls a tool of several sources. */
async function callAll(
  names: readonly string[],
  tool: string,
  args: Record<string, unknown>,
): Promise<readonly ToolAnswer[]> {
  return Promise.all(names.map((name) => sessions.get(name)!.call(tool, args)))
}

describe('memory, a catalog and a client of its API give the same answer', () => {
  it.each<[string, Record<string, unknown>]>([
    ['read_pack', { pack: 'tls-certificates' }],
    ['read_pack', { pack: 'http-status-codes' }],
    ['read_pack', { pack: 'http-status-codes@~1.0' }],
    ['read_pack', { pack: 'http-status-codes@1.0.0' }],
    ['read_pack', { pack: 'datenbanken' }],
    ['read_pack', { pack: 'tls-certificates', max_tokens: 150 }],
    ['read_pack', { pack: 'tls-certificates', section: 'renewal' }],
    ['read_pack', { pack: 'tls-certificates', section: 'renewal', max_tokens: 160 }],
    ['read_pack', { pack: 'tls-certificates', section: 'automatic-renewal', max_tokens: 100 }],
    ['read_pack', { pack: 'http-status-codes', section: '500' }],
  ])('%s %j', async (tool, args) => {
    const [memory, catalog, client] = await callAll(['memory', 'catalog', 'client'], tool, args)
    expect(catalog).toEqual(memory)
    expect(client).toEqual(memory)
  })

  it.each([
    ['revoke a certificate', /^Documents [^\n]*\n<doc id="tls-certificates#/],
    ['tls', /^Documents [^\n]*\n<doc id="tls-certificates#/],
  ])('search_packs %s', async (query, start) => {
    const args = { query }
    const answers = await callAll(['memory', 'catalog', 'client'], 'search_packs', args)
    const [memory, catalog, client] = answers
    expect(memory!.text).toMatch(start)
    expect(catalog).toEqual(memory)
    expect(client).toEqual(memory)
    expect(JSON.stringify(memory!.data)).toContain('"digest":"')
  })

  it('errors', async () => {
    for (const [args, code] of [
      [{ pack: 'nothing' }, 'pack_not_found'],
      [{ pack: 'http-status-codes@^9' }, 'no_matching_version'],
    ] as const) {
      const answers = await callAll(['memory', 'catalog', 'client'], 'read_pack', args)
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
      expect([answers[0]!.isError, answers[0]!.text.endsWith(`(${code})`)]).toEqual([true, true])
    }
  })
})

describe('a reader of previews gets the same from a catalog and a client of its API', () => {
  it.each<[string, Record<string, unknown>]>([
    ['read_pack', { pack: 'tls-certificates' }],
    ['read_pack', { pack: 'tls-certificates', section: 'tls-certificates' }],
    ['read_pack', { pack: 'tls-certificates', section: 'revocation' }],
    ['search_packs', { query: 'openssl signing request' }],
  ])('%s %j', async (tool, args) => {
    const [catalog, client] = await callAll(['catalog, preview', 'client, preview'], tool, args)
    expect(client!.text).toBe(catalog!.text)
    expect(client!.text).not.toContain('Create a signing request')
  })
})

it('takes the name of a pack that is like an unknown one from the titles of the catalog', async () => {
  const [answer] = await callAll(['catalog'], 'read_pack', { pack: 'tls-handbook' })
  expect(answer!.text).toBe(
    'There is no pack "tls-handbook". Names that are like it: tls-certificates. (pack_not_found)',
  )
})

it('ends a search that is cancelled', async () => {
  const ended = AbortSignal.abort(new Error('cancelled'))
  await expect(sources.catalog.search('certificate', { limit: 1, signal: ended })).rejects.toThrow(
    'cancelled',
  )
  await expect(sources.client.open('tls-certificates', ended)).rejects.toThrow('cancelled')
})
