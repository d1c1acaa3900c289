import { describe, expect, it } from 'vitest'
import {
  type ClientError,
  createClient,
  createMemoryCache,
  createPin,
  type FullPack,
  type Lock,
  parseLock,
  type Pin,
  serializeLock,
} from '../src/index.ts'
import { collect } from './collect.ts'
import { startCatalog } from './start-catalog.ts'

const api = await startCatalog()
const url = `http://127.0.0.1:${api.port}`
const cache = createMemoryCache({ bytes: 1_000_000 })
const online = createClient({ url, key: api.pro.key, cache })
const pack = (await online.packs.get('tls-certificates@~1.0')) as FullPack
const lock: Lock = { lockfile_version: 1, packs: { [pack.slug]: createPin(pack, '~1.0') } }

function refuse(): Promise<never> {
  return Promise.reject(new Error('Nothing should be requested'))
}

/** A lock with other fields of its pin. */
function change(fields: Partial<Pin>): Lock {
  return {
    lockfile_version: 1,
    packs: { 'tls-certificates': { ...lock.packs['tls-certificates']!, ...fields } },
  }
}

describe('a client with a lock', () => {
  it('serves the pins from the cache and requests nothing', async () => {
    const client = createClient({ url, key: api.pro.key, lock, cache, fetch: refuse })
    expect(await client.packs.get('tls-certificates')).toEqual(pack)
    expect(await client.packs.get('tls-certificates@1')).toEqual(pack)
  })

  it.each(['plain', 'tls-certificates@^1.1', 'constructor'])('does not have %s', async (name) => {
    const client = createClient({ url, key: api.pro.key, lock, cache, fetch: refuse })
    await expect(client.packs.get(name)).rejects.toMatchObject({ code: 'not_in_lock' })
  })

  it('says of each listed pack whether it can be read', async () => {
    const plain = (await online.packs.get('plain')) as FullPack
    const mixed: Lock = { ...lock, packs: { ...lock.packs, plain: createPin(plain, '*') } }
    const client = createClient({ url, key: api.pro.key, lock: mixed })
    const entries = await collect(client.packs.list())
    // The lock has version 1.0.0 of tls-certificates, and nothing of http-status-codes.
    expect(entries.map(({ slug, version, pinned }) => `${slug}@${version} ${pinned}`)).toEqual([
      'http-status-codes@1.0.0 false',
      `plain@${plain.version} true`,
      'tls-certificates@1.1.0 false',
    ])
    const read = entries.map(({ slug, version }) =>
      client.packs.get(`${slug}@${version}`).then(
        () => true,
        (error: ClientError) => error.code,
      ),
    )
    expect(await Promise.all(read)).toEqual(entries.map(({ pinned }) => pinned || 'not_in_lock'))
    expect((await collect(online.packs.list()))[0]).not.toHaveProperty('pinned')
  })

  it('requests what is not cached, or says how to get it', async () => {
    const client = createClient({ url, key: api.pro.key, lock })
    expect(await client.packs.get('tls-certificates')).toEqual(pack)
    await expect(createClient({ lock }).packs.get('tls-certificates')).rejects.toMatchObject({
      code: 'not_cached',
      hint: expect.stringContaining('pack install'),
    })
    await expect(createClient({ lock }).packs.versions('tls-certificates')).rejects.toMatchObject({
      code: 'invalid_option',
    })
  })

  it('refuses a Free account', async () => {
    const client = createClient({ url, key: api.free.key, lock })
    await expect(client.packs.get('tls-certificates')).rejects.toMatchObject({ code: 'preview_only' })
  })

  it.each<[string, Partial<Pin>]>([
    ['another digest', { pack_digest: 'a'.repeat(64) }],
    ['another sha256', { sha256: 'a'.repeat(64) }],
    ['another version', { version: '1.0.1' }],
    ['other tokens', { token_count: 1 }],
  ])('refuses a lock that was edited: %s', async (_, fields) => {
    const client = createClient({ url, key: api.pro.key, lock: change(fields), cache })
    await expect(client.packs.get('tls-certificates')).rejects.toMatchObject({
      code: expect.stringMatching(/^lock_mismatch$/),
    })
  })
})

describe('the text of a lock', () => {
  it('keeps a signer, and has none where none is pinned', () => {
    const { 'tls-certificates': pin } = lock.packs
    const signer = 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k'
    const text = serializeLock({ lockfile_version: 1, packs: { a: { ...pin!, signer }, b: pin! } })
    expect(text.match(/"signer"/g)).toHaveLength(1)
    expect(parseLock(text).packs['a']).toEqual({ ...pin, signer })
    expect(parseLock(text).packs['b']).toEqual(pin)
  })

  it.each(['', 'alice', null, 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4l'])(
    'has no signer %j',
    (signer) => {
      const { 'tls-certificates': pin } = lock.packs
      const text = JSON.stringify({ lockfile_version: 1, packs: { a: { ...pin, signer } } })
      expect(() => parseLock(text)).toThrow('packs["a"].signer is not a key id')
    },
  )

  it('is the same for the same pins', () => {
    const { 'tls-certificates': pin } = lock.packs
    const { range, ...others } = pin!
    const shuffled: Lock = { packs: { zeta: { ...others, range }, alpha: pin! }, lockfile_version: 1 }
    const text = serializeLock(shuffled)
    expect(text).toBe(serializeLock(parseLock(text)))
    expect(text).toMatch(
      /^\{\n {2}"lockfile_version": 1,\n {2}"packs": \{\n {4}"alpha": \{\n {6}"range": "~1.0",\n[^]*\}\n$/,
    )
  })

  it.each<[string, unknown, string]>([
    ['no JSON', '{', 'not JSON'],
    ['null', null, 'lockfile_version'],
    ['another version', { lockfile_version: 2, packs: {} }, 'lockfile_version'],
    ['no packs', { lockfile_version: 1 }, 'packs'],
    ['a pin that is null', { lockfile_version: 1, packs: { a: null } }, 'packs["a"]'],
    ['a name that is not a slug', { lockfile_version: 1, packs: { '../a': {} } }, 'packs["../a"]'],
  ])('cannot be %s', (_, value, place) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    expect(() => parseLock(text)).toThrow(
      expect.objectContaining({ code: 'invalid_lock', message: expect.stringContaining(place) }),
    )
  })

  it.each<[string, string, number]>([
    ['a conflict', '{\n<<<<<<< HEAD\n=======\n>>>>>>> other\n', 2],
    ['line ends of Windows', '{\r\n\r\n<<<<<<< HEAD\r\n=======\r\n>>>>>>> other\r\n', 3],
    ['what diff3 adds', '{\n||||||| 1b0ec87\n', 2],
    ['a marker that was left', '{\n  "packs": {}\n=======\n}\n', 3],
    ['the end of a conflict', '{}\n>>>>>>> other', 2],
  ])('names the line of %s', (_, text, line) => {
    expect(() => parseLock(text)).toThrow(
      expect.objectContaining({
        code: 'invalid_lock',
        message: `The lock cannot be used: line ${line} is a git conflict marker`,
        hint: expect.stringMatching(/^Take one side \(git checkout --ours packs\.lock/),
      }),
    )
  })

  // prettier-ignore
  const texts = [
    '{"<<<<<<< HEAD": 1,', '{\n  "<<<<<<< HEAD\n"', '{\n ======= ', '{\n========\n', '{\n<<<<<<<<\n',
    '{"a\u2028<<<<<<< HEAD": 1,',
  ]
  it.each(texts)('does not take other text for a conflict: %j', (text) => {
    expect(() => parseLock(text)).toThrow('it is not JSON')
  })

  it.each<[string, Partial<Record<keyof Pin, unknown>>, string]>([
    ['range', { range: 'x.y' }, '.range'],
    ['version', { version: '1' }, '.version'],
    ['version outside of the range', { version: '2.0.0' }, '.version'],
    ['digest', { pack_digest: 'A'.repeat(64) }, '.pack_digest'],
    ['tokens', { token_count: '5' }, '.token_count'],
  ])('names a wrong %s', (_, fields, place) => {
    const text = JSON.stringify(change(fields as Partial<Pin>))
    expect(() => parseLock(text)).toThrow(
      expect.objectContaining({ message: expect.stringContaining(`packs["tls-certificates"]${place}`) }),
    )
  })
})
