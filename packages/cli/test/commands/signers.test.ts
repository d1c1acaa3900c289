import { createPublicKey } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { serializePack } from '@packs/codec/internal'
import type { Pack } from '@packs/codec/pack'
import { describe, expect, it } from 'vitest'
import {
  samplePack,
  createTestSigner,
  rewritePack,
  signPack,
  type TestSigner,
} from '../../../test-kit/test/sign-pack.ts'
import { runInProcess, type Printed } from '../../../test-kit/test/run-in-process.ts'
import { makeSigningKey } from '../../src/signers/signer-keys.ts'
import { makeFolder } from '../../../test-kit/test/run-pack.ts'

const alice = createTestSigner(1)
const bob = createTestSigner(2)
const X25519 =
  '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VuBCIEIHcHbQpzGKV9PBbBclGyZkXfTC+H68CZKrF3+6UduSwq\n-----END PRIVATE KEY-----\n'

function open(files: Readonly<Record<string, string>> = {}) {
  const folder = makeFolder(files)
  return {
    read: (name: string) => readFileSync(join(folder, name), 'utf8'),
    path: (name: string) => join(folder, name),
    run: (...args: string[]): Promise<Printed> => runInProcess(args, { cwd: folder }),
    json: async (...args: string[]) => {
      const { status, stdout } = await runInProcess([...args, '--json'], { cwd: folder })
      return { status, output: JSON.parse(stdout) as Record<string, unknown> }
    },
  }
}

const error = (code: string) => ({ output: { error: { code } } })

describe('pack signers', () => {
  it('makes a private key that only its owner can read, and prints its id', async () => {
    const { run, read, path } = open()
    const made = await run(
      'signers',
      'create',
      'release.pem',
      '--keys',
      'packs-keys.json',
      '--name',
      'releases',
    )
    expect(made.status).toBe(0)
    expect(made.stdout).toMatch(/^[\w-]{43}\n$/)
    expect(statSync(path('release.pem')).mode & 0o777).toBe(0o600)
    expect(read('release.pem')).toMatch(/^-----BEGIN PRIVATE KEY-----\n/)
    const x = createPublicKey(read('release.pem')).export({ format: 'jwk' }).x
    expect(JSON.parse(read('packs-keys.json'))).toEqual({
      keys: [{ kid: made.stdout.trim(), kty: 'OKP', crv: 'Ed25519', x, status: 'active', name: 'releases' }],
    })
  })

  it('never prints the private key', async () => {
    const { run, json, read } = open()
    const made = await run('signers', 'create', 'a.pem')
    const { output } = await json('signers', 'create', 'b.pem')
    for (const file of ['a.pem', 'b.pem']) {
      const secret = read(file).split('\n')[1]!
      expect(made.stdout + made.stderr + JSON.stringify(output)).not.toContain(secret.slice(24, 44))
    }
  })

  it('makes no key whose id looks like an option', async () => {
    const made = await Promise.all(Array.from({ length: 600 }, makeSigningKey))
    expect(made.filter(({ key }) => key.id.startsWith('-'))).toEqual([])
  })

  it('overwrites no file, and makes no key if the keys document cannot be used', async () => {
    const { json, read, path } = open({ 'a.pem': 'mine', 'bad.json': '{"keys":1}' })
    expect(await json('signers', 'create', 'a.pem')).toMatchObject({ status: 4, ...error('file_exists') })
    expect(read('a.pem')).toBe('mine')
    expect(await json('signers', 'create', 'b.pem', '--keys', 'bad.json')).toMatchObject(
      error('invalid_keys'),
    )
    expect(await json('signers', 'create', 'b.pem', '--keys', 'new.json', '--name', 'a\nb')).toMatchObject(
      error('invalid_keys'),
    )
    expect(existsSync(path('b.pem'))).toBe(false)
  })

  it('lists, retires and revokes keys', async () => {
    const { run, read, json } = open()
    const add = async (name: string) =>
      (
        await run('signers', 'create', `${name}.pem`, '--keys', 'packs-keys.json', '--name', name)
      ).stdout.trim()
    const [old, lost] = [await add('old'), await add('lost')]
    expect((await run('signers', 'retire', old)).stdout).toBe(`retired ${old}\n`)
    expect((await run('signers', 'revoke', lost, '--reason', 'laptop lost')).stdout).toBe(`revoked ${lost}\n`)
    const { keys } = JSON.parse(read('packs-keys.json')) as { keys: Record<string, unknown>[] }
    expect(keys).toMatchObject([
      { kid: old, status: 'retired' },
      { kid: lost, status: 'revoked', reason: 'laptop lost', revoked_at: expect.stringMatching(/Z$/) },
    ])
    expect((await run('signers', 'list')).stdout).toMatch(/revoked +\S{43} +lost +2\S+: laptop lost/)
    expect((await run('signers', 'revoke', lost)).stdout).toMatch(/^was already revoked/)
    expect(await json('signers', 'retire', lost)).toMatchObject({ status: 2, ...error('usage') })
    expect(await json('signers', 'retire', 'x')).toMatchObject({ status: 1, ...error('unknown_signer') })
  })
})

describe('pack check', () => {
  const write = (pack: Pack) => ({ 'a.pack.json': serializePack(pack) })
  const key = (status: string) => ({ kty: 'OKP', crv: 'Ed25519', x: alice.publicKey, kid: alice.id, status })
  const keys = (status: string) => JSON.stringify({ keys: [key(status)] })
  const exportPem = ({ pem }: TestSigner) =>
    createPublicKey(pem).export({ format: 'pem', type: 'spki' }).toString()
  const publicPem = exportPem(alice)

  it('names the signer, or says that there is none', async () => {
    const unsigned = await open(write(samplePack)).run('check', 'a.pack.json')
    expect(unsigned.stdout).toBe('1 pack passes; not signed\n')
    const signed = await open(write(signPack(samplePack, alice, bob))).run('check', 'a.pack.json')
    expect(signed.stdout).toBe(`1 pack passes; signed by ${alice.id}, ${bob.id}\n`)
  })

  it.each([
    ['the id of the key', alice.id],
    ['a public key', 'alice.pub'],
    ['a keys document', 'keys.json'],
    ['a keys document where the key is retired', 'retired.json'],
  ])('takes %s', async (_, value) => {
    const { run } = open({
      ...write(signPack(samplePack, alice)),
      'alice.pub': publicPem,
      'keys.json': keys('active'),
      'retired.json': keys('retired'),
    })
    expect(await run('check', 'a.pack.json', '--key', bob.id, '--key', value)).toMatchObject({ status: 0 })
  })

  it.each<[string, Pack, RegExp]>([
    ['is unsigned', samplePack, /signer: The pack is unsigned/],
    ['another key signed', signPack(samplePack, bob), new RegExp(`signed by ${bob.id} instead`)],
    [
      'a revoked key signed',
      signPack(samplePack, alice),
      /was revoked at 2026-03-01T00:00:00Z \(laptop lost\)/,
    ],
    [
      'has a wrong signature',
      { ...samplePack, signatures: [{ ...alice.sign(samplePack.pack_digest), ...bobs() }] },
      /signatures: The signature is not of this pack/,
    ],
    [
      'was changed after it was signed',
      { ...rewritePack(samplePack, '# Other\n'), signatures: [alice.sign(samplePack.pack_digest)] },
      /signatures: The signature is not of this pack/,
    ],
  ])('fails with --key for a pack that %s', async (_, pack, message) => {
    const revoked = { ...key('revoked'), revoked_at: '2026-03-01T00:00:00Z', reason: 'laptop lost' }
    const isRevoked = message.source.startsWith('was revoked')
    const { run } = open({
      ...write(pack),
      'keys.json': isRevoked ? JSON.stringify({ keys: [revoked] }) : keys('active'),
    })
    const checked = await run('check', 'a.pack.json', '--key', 'keys.json')
    expect(checked.status).toBe(1)
    expect(checked.stdout).toMatch(message)
  })

  it('takes an id for a key, even if a file has this name', async () => {
    const { run } = open({ ...write(signPack(samplePack, bob)), [alice.id]: exportPem(bob) })
    expect(await run('check', 'a.pack.json', '--key', `./${alice.id}`)).toMatchObject({ status: 0 })
    expect(await run('check', 'a.pack.json', '--key', alice.id)).toMatchObject({ status: 1 })
  })

  it('counts no signature of a revoked key, even if its id is named', async () => {
    const { run } = open({ ...write(signPack(samplePack, alice)), 'keys.json': keys('revoked') })
    expect(await run('check', 'a.pack.json', '--key', alice.id, '--key', 'keys.json')).toMatchObject({
      status: 1,
    })
  })

  it.each([
    ['a private key', 'private.pem', 'invalid_signing_key'],
    ['no key', 'text.txt', 'invalid_keys'],
    ['another curve', 'x25519.pub', 'invalid_signing_key'],
    ['a missing file', 'none.json', 'file_not_found'],
  ])('refuses %s', async (_, value, code) => {
    const { json } = open({
      ...write(samplePack),
      'private.pem': alice.pem,
      'text.txt': 'hello',
      'x25519.pub':
        '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VuAyEAhSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo=\n-----END PUBLIC KEY-----\n',
    })
    expect(await json('check', 'a.pack.json', '--key', value)).toMatchObject(error(code))
  })

  function bobs() {
    return { signature: bob.sign(samplePack.pack_digest).signature }
  }
})

describe('a private key for pack publish --sign', () => {
  it.each<[string, string, number, string]>([
    ['others can read', alice.pem, 0o644, 'can be read or written by others'],
    ['the group can read', alice.pem, 0o640, 'can be read or written by others'],
    [
      'is a public key',
      createPublicKey(alice.pem).export({ format: 'pem', type: 'spki' }).toString(),
      0o600,
      'PEM',
    ],
    ['is not a key', 'hello', 0o600, 'is not a private key in PEM'],
    ['is of another curve', X25519, 0o600, 'is not an Ed25519 key'],
    ['is a large file', 'a'.repeat(20_000), 0o600, 'is not a private key'],
  ])('is refused if it %s', async (_, text, mode, message) => {
    const { json, path } = open({ 'a.md': '# A\n' })
    writeFileSync(path('key.pem'), text)
    chmodSync(path('key.pem'), mode)
    const { status, output } = await json('publish', 'a.md', '--sign', 'key.pem')
    expect({ status, output }).toMatchObject({
      status: 4,
      output: { error: { code: 'invalid_signing_key', message: expect.stringContaining(message) } },
    })
    expect(existsSync(path('.packs'))).toBe(false)
  })

  it('is refused if others can replace it, also behind a link', async () => {
    const { json, path } = open({ 'a.md': '# A\n' })
    mkdirSync(path('open'))
    chmodSync(path('open'), 0o777)
    writeFileSync(path('open/key.pem'), alice.pem, { mode: 0o600 })
    symlinkSync(path('open/key.pem'), path('link.pem'))
    for (const name of ['open/key.pem', 'link.pem'])
      expect(await json('publish', 'a.md', '--sign', name)).toMatchObject({
        output: { error: { message: expect.stringContaining('can be replaced by others, through') } },
      })
  })
})
