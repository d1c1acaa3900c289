import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { buildVersion } from '../../../test-kit/test/build-version.ts'
import { startApi } from '../../../test-kit/test/start-api.ts'
import { actor } from '../../../test-kit/test/make-version.ts'
import { createTestSigner, type TestSigner } from '../../../test-kit/test/sign-pack.ts'
import type { Lock } from '@packs/client'
import { runInProcess } from '../../../test-kit/test/run-in-process.ts'
import { makeFolder } from '../../../test-kit/test/run-pack.ts'

const alice = createTestSigner(1)
const bob = createTestSigner(2)
const api = await startApi({})

/** Publishes a version, signed by some keys. */
async function publish(
  slug: string,
  version: string,
  parent: string | null,
  ...signers: readonly TestSigner[]
) {
  const built = await buildVersion({
    slug,
    title: slug,
    body: `# ${slug} ${version}\n`,
    version,
    ...(parent !== null && { parent }),
  })
  await api.catalog.packs.commit([built])
  for (const signer of signers) await sign(slug, version, signer)
}

async function sign(slug: string, version: string, signer: TestSigner): Promise<void> {
  const { pack_digest } = (await api.catalog.packs.find(slug, version))!
  await api.catalog.signatures.add(slug, version, signer.sign(pack_digest), actor)
}

function makeProject() {
  const folder = makeFolder({ 'package.json': '{}' })
  const env = {
    PACK_URL: `http://127.0.0.1:${api.port}`,
    PACK_KEY: api.pro.key,
    XDG_CACHE_HOME: makeFolder(),
  }
  return {
    run: (...args: string[]) => runInProcess(args, { cwd: folder, env }),
    json: async (...args: string[]) => {
      const { status, stdout } = await runInProcess([...args, '--json'], { cwd: folder, env })
      return { status, output: JSON.parse(stdout) as Record<string, unknown> }
    },
    pins: () => (JSON.parse(readFileSync(join(folder, 'packs.lock'), 'utf8')) as Lock).packs,
    dropCache: () => rmSync(env.XDG_CACHE_HOME, { recursive: true, force: true }),
  }
}

const refused = {
  status: 4,
  output: { error: { code: 'signer_mismatch', hint: expect.stringContaining('--signer') } },
}

describe('pack add', () => {
  it('pins the signer of a signed pack, and shows it', async () => {
    await publish('signed', '1.0.0', null, alice)
    const { run, pins } = makeProject()
    const added = await run('add', 'signed')
    expect(added.stdout).toContain(alice.id)
    expect(pins()['signed']).toMatchObject({ version: '1.0.0', signer: alice.id })
  })

  it('sees a signature that came after the version was cached', async () => {
    await publish('late', '1.0.0', null)
    const { json, pins } = makeProject()
    expect((await json('add', 'late@1.0.0')).output).toMatchObject({ packs: [{ signer: null }] })
    expect(pins()['late']).not.toHaveProperty('signer')
    await sign('late', '1.0.0', alice)
    await expect
      .poll(async () => (await json('add', 'late@1.0.0')).output)
      .toMatchObject({ packs: [{ status: 'changed', signer: alice.id }] })
  })

  it('refuses an unsigned pack with --signer', async () => {
    await publish('bare', '1.0.0', null)
    const { json } = makeProject()
    expect(await json('add', 'bare', '--signer', alice.id)).toMatchObject(refused)
    expect(await json('add', 'bare', '--signer', 'alice')).toMatchObject({
      status: 2,
      output: { error: { code: 'usage' } },
    })
  })

  it('refuses another signer than the pinned one, and takes it on purpose', async () => {
    await publish('moved', '1.0.0', null, alice)
    const { json, pins } = makeProject()
    await json('add', 'moved')
    await publish('moved', '2.0.0', '1.0.0', bob)
    const { id } = (await api.catalog.packs.find('moved'))!
    for (const name of ['moved', id]) await expect.poll(() => json('add', name)).toMatchObject(refused)
    expect(pins()['moved']).toMatchObject({ version: '1.0.0', signer: alice.id })
    expect(await json('add', 'moved', '--signer', bob.id)).toMatchObject({ status: 0 })
    expect(pins()['moved']).toMatchObject({ version: '2.0.0', signer: bob.id })
  })

  it('keeps the pinned signer of a pack that a second key signed too', async () => {
    await publish('both', '1.0.0', null, alice)
    const { json, pins } = makeProject()
    await json('add', 'both')
    await sign('both', '1.0.0', bob)
    expect(await json('add', 'both')).toMatchObject({ status: 0 })
    expect(pins()['both']).toMatchObject({ signer: alice.id })
    await expect.poll(() => json('add', 'both', '--signer', bob.id)).toMatchObject({ status: 0 })
    expect(pins()['both']).toMatchObject({ signer: bob.id })
  })
})

describe('a lock that pins a signer', () => {
  it('is not updated to a version that the signer has not signed', async () => {
    await publish('fork', '1.0.0', null, alice)
    const { json, pins } = makeProject()
    await json('add', 'fork')
    await publish('fork', '1.1.0', '1.0.0')
    await expect.poll(() => json('update')).toMatchObject(refused)
    await sign('fork', '1.1.0', alice)
    await expect.poll(() => json('update')).toMatchObject({ status: 0 })
    expect(pins()['fork']).toMatchObject({ version: '1.1.0', signer: alice.id })
  })

  it('is not installed from a catalog that has lost the signature', async () => {
    await publish('stripped', '1.0.0', null, alice)
    const { json, run, dropCache } = makeProject()
    await json('add', 'stripped')
    expect((await run('install')).status).toBe(0)
    dropCache()
    const key = (await api.catalog.packs.find('stripped'))!.sequence
    const { db } = api.catalog.database
    await (db as unknown as Updates)
      .updateTable('versions')
      .set({ signatures: null })
      .where('sequence', '=', key)
      .execute()
    // The API has the response of before until the catalog changes.
    await publish('other', '1.0.0', null)
    await expect.poll(() => json('install', '--out', 'packs')).toMatchObject(refused)
    expect(await json('prompt', 'stripped')).toMatchObject(refused)
  })
})

interface Updates {
  updateTable(name: string): {
    set(values: object): { where(...condition: readonly unknown[]): { execute(): Promise<unknown> } }
  }
}
