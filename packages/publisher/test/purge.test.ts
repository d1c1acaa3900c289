import { existsSync, readFileSync } from 'node:fs'
import type { Catalog, PurgeRequest } from '@packs/catalog'
import {
  createInProcessRunner,
  planPublish,
  readSource,
  verifyCatalog,
  type PublishRequest,
} from '@packs/publisher'
import { expect, it } from 'vitest'
import { dumpRows } from '../../catalog/test/dump-rows.ts'
import { actor } from '../../test-kit/test/make-version.ts'
import { describeDatabases } from '../../test-kit/test/test-database.ts'
import { runJob } from '../src/queue/run-job.ts'
import { writeSource } from './sources.ts'

/** In no other text; `FORM` shares its stem with a word of another pack. */
const MARKER = 'quagmyre'
const FORM = 'certificatings'

const LEAK = writeSource(
  'tls',
  `# Keys of the ${MARKER}\n\nThe ${MARKER} and its ${FORM}: see [here](https://${MARKER}.example/).\n\n## About ${MARKER}\n\nMore.\n`,
  `description: The ${MARKER}\ntags: [${MARKER}]\nglossary: [{ expansion: "${MARKER} of keys", term: QM }]\nowner: ${MARKER}\n`,
).replaceAll('Guides', `Guides ${MARKER}`)
const FIXED = writeSource('tls', '# Keys\n\nKeys and their certificate.\n')
const OTHER = writeSource('aes', '# Ciphers\n\nA certificate has a cipher.\n')

function requestAt(path: string, text: string, rest: Partial<PublishRequest> = {}): PublishRequest {
  return { ...readSource({ bytes: Buffer.from(text), path }), actor, ...rest }
}

const leak = (rest?: Partial<PublishRequest>): PublishRequest => requestAt(`${MARKER}/tls.md`, LEAK, rest)
const fixed = (): PublishRequest => requestAt('tls.md', FIXED)
const other = (): PublishRequest => requestAt('aes.md', OTHER)

const purge = (rest: Partial<PurgeRequest> = {}): PurgeRequest => ({
  slug: 'tls',
  versions: ['1.0.0'],
  reason: 'a key leaked',
  actor,
  ...rest,
})

describeDatabases('a purge in %s', (database, kind) => {
  const openNew = async (): Promise<{ catalog: Catalog; url: string }> => {
    const url = await database.createCatalog()
    return { catalog: await database.open(url), url }
  }
  const readFiles = (url: string): string =>
    kind === 'Postgres'
      ? ''
      : ['', '-wal', '.quota', '.quota-wal']
          .filter((suffix) => existsSync(url + suffix))
          .map((suffix) => readFileSync(url + suffix, 'latin1'))
          .join('')

  it('leaves no byte of a version, in no row and in no file, and its neighbors as they are', async () => {
    const { catalog, url } = await openNew()
    const runner = createInProcessRunner(catalog)
    await runner.release('site', [leak(), other()])
    await runner.publish([fixed()])
    const failing = `${LEAK}\n[DECODE] x=y|\n`
    await runner.publish([requestAt('tls.md', failing.replace('slug: tls', 'slug: tls\nscheme: none'))])
    const versions = (await catalog.packs.versions('tls')).map(({ version }) => version)
    expect((await dumpRows(catalog)).includes(MARKER)).toBe(true)
    expect(readFiles(url).includes(MARKER)).toBe(kind === 'SQLite')

    const named = versions.filter((version) => version !== '2.0.0')
    const result = await catalog.packs.purge(purge({ versions: named }))
    expect(result).toMatchObject({ purged: named, latest: '2.0.0', warnings: [] })
    const rows = await dumpRows(catalog)
    for (const word of [MARKER, FORM]) {
      expect(rows).not.toContain(word)
      expect(readFiles(url)).not.toContain(word)
    }
    expect(await verifyCatalog(catalog)).toMatchObject({ ok: true, versions: versions.length + 1 })
    expect(await catalog.packs.latest('tls')).toMatchObject({ version: '2.0.0' })
    const found = await catalog.search.store().findTerms(['certif', 'cipher'])
    expect(found.map(({ text, words }) => [text, words])).toEqual([
      ['certif', 'certificate'],
      ['cipher', 'cipher ciphers'],
    ])
  })

  it('keeps the number, and says when, why and by whom', async () => {
    const { catalog } = await openNew()
    const runner = createInProcessRunner(catalog)
    await runner.publish([leak()])
    const before = await catalog.sequence()
    const result = await catalog.packs.purge(purge({ versions: undefined }))
    expect(result).toMatchObject({ purged: ['1.0.0'], before: [], latest: null })
    expect(await catalog.sequence()).toBe(before + 1)
    const purged = { slug: 'tls', version: '1.0.0', reason: 'a key leaked' }
    expect(await dumpRows(catalog)).toContain('"operator ada"')
    expect(await catalog.packs.purges({ after: 0, limit: 9 })).toMatchObject([
      { ...purged, sequence: before + 1 },
    ])
    expect(await catalog.packs.purges({ after: before + 1, limit: 9 })).toEqual([])
    expect(await catalog.audit.list({ action: 'version.purged', limit: 9 })).toMatchObject([
      { target: 'tls@1.0.0', details: { reason: 'a key leaked' } },
    ])
    expect(await catalog.packs.find('tls', '1.0.0')).toBeUndefined()
    expect(await catalog.packs.version('tls', '1.0.0')).toBeUndefined()
    expect((await catalog.packs.list({ limit: 9, offset: 0 })).total).toBe(0)
    const again = await catalog.packs.purge(purge())
    expect(again).toMatchObject({ purged: [], before: [{ version: '1.0.0', reason: 'a key leaked' }] })
    expect(await catalog.sequence()).toBe(before + 1)
    for (const change of [
      catalog.packs.undoYank('tls', '1.0.0', actor),
      catalog.packs.yank('tls', '1.0.0', 'x', actor),
    ])
      await expect(change).rejects.toMatchObject({ code: 'purged_version' })

    const [next] = await runner.publish([fixed()])
    expect(next).toMatchObject({ status: 'published', version: '2.0.0' })
    const named = requestAt('tls.md', FIXED.replace('slug: tls', 'slug: tls\nversion: 1.0.0'))
    const message = 'tls@1.0.0 was purged, and its number stays taken'
    const conflict = { status: 'conflict', code: 'version_conflict', message }
    expect(await runner.publish([named])).toMatchObject([conflict])
    expect(await planPublish(catalog, [named])).toMatchObject([conflict])
    expect(await verifyCatalog(catalog)).toMatchObject({ ok: true, versions: 2 })
  })

  it('refuses the source from then on, for any pack, and keeps none of it', async () => {
    const { catalog } = await openNew()
    const runner = createInProcessRunner(catalog)
    await runner.publish([leak(), other()])
    await catalog.packs.purge(purge())
    const renamed = { ...leak(), source: { ...leak().source, slug: 'ssh' } }
    for (const request of [leak(), leak({ rebuild: true }), renamed]) {
      const [result] = await runner.publish([request])
      expect(result).toMatchObject({
        status: 'failed',
        code: 'purged_source',
        hint: expect.stringMatching(/^Change the text/),
      })
      expect(result!.message).toMatch(/tls@1\.0\.0, which was purged on 20.*: a key leaked$/)
    }
    expect(await planPublish(catalog, [renamed])).toMatchObject([{ status: 'failed', code: 'purged_source' }])
    const release = runner.release('both', [leak(), other()])
    await expect(release).rejects.toMatchObject({ code: 'purged_source' })
    expect(await dumpRows(catalog)).not.toContain(MARKER)
  })

  it('overtakes a publish of the same source that is already running', async () => {
    const { catalog } = await openNew()
    await createInProcessRunner(catalog).publish([leak(), fixed()])
    const runner = createInProcessRunner({
      ...catalog,
      packs: {
        ...catalog.packs,
        async commit(versions) {
          await catalog.packs.purge(purge())
          return catalog.packs.commit(versions)
        },
      },
    })
    const [result] = await runner.publish([leak({ rebuild: true })])
    expect(result).toMatchObject({ status: 'failed', code: 'purged_source' })
    expect(await catalog.packs.latest('tls')).toMatchObject({ version: '2.0.0' })
    expect(await dumpRows(catalog)).not.toContain(MARKER)
  })

  it('takes the source and the path from a waiting job, which then fails with the reason', async () => {
    const { catalog } = await openNew()
    await createInProcessRunner(catalog).publish([leak()])
    const { sourceDigest, ...provenance } = (await catalog.packs.provenance('tls', '1.0.0'))!
    const job = { slug: 'tls', source: provenance.source_sha256, source_digest: sourceDigest }
    const data = JSON.stringify({
      ...job,
      path: provenance.path,
      bump: null,
      rebuild: true,
      parent: '1.0.0',
      actor,
    })
    const row = { slug: 'tls', state: 'waiting', attempts: 0, owner: null, release: null, data } as const
    await catalog.jobs.accept([], () => [{ ...row, id: 'waiting' }])
    await catalog.packs.purge(purge())
    expect(await dumpRows(catalog)).not.toContain(MARKER)
    const done = Promise.resolve()
    const queued = {
      id: 'waiting',
      isLastAttempt: false,
      isPatient: false,
      updateProgress: () => done,
      delay: () => done,
    }
    const build = (): never => expect.unreachable()
    await expect(runJob(() => Promise.resolve({ catalog, build }), queued)).rejects.toThrow(
      /^purged_source: The source of this job of tls/,
    )
    expect(await catalog.jobs.get('waiting')).toMatchObject({ state: 'failed' })
  })

  it('keeps a source and a glossary that another version is made of, and names it', async () => {
    const { catalog } = await openNew()
    const runner = createInProcessRunner(catalog)
    for (const request of [leak(), fixed(), leak()]) await runner.publish([request])
    const result = await catalog.packs.purge(purge())
    expect(result.warnings).toEqual(['Made of the same source, and still there: tls@3.0.0'])
    expect(await verifyCatalog(catalog)).toMatchObject({ ok: true })
    await catalog.packs.purge(purge({ versions: ['3.0.0'] }))
    expect(await dumpRows(catalog)).not.toContain(MARKER)
  })

  it('shows the next lower version, as a yank does', async () => {
    const { catalog } = await openNew()
    const runner = createInProcessRunner(catalog)
    await runner.publish([fixed()])
    await runner.publish([leak()])
    const changes = { after: 2, removals: true, limit: 9, maxBytes: 1e6 }
    expect(await catalog.packs.purge(purge({ versions: ['2.0.0'] }))).toMatchObject({ latest: '1.0.0' })
    expect((await catalog.packs.changes(changes)).changes).toMatchObject([{ version: { version: '1.0.0' } }])
    expect(await catalog.packs.versions('tls')).toMatchObject([
      {
        version: '2.0.0',
        yanked: true,
        yanked_reason: 'a key leaked',
        token_count: null,
        purged_at: expect.stringMatching(/^20/),
      },
      { version: '1.0.0', yanked: false, purged_at: null },
    ])
    await catalog.packs.purge(purge({ versions: undefined, reason: 'all' }))
    const filtered = { ...changes, after: 3, domain: 'guides' }
    expect((await catalog.packs.changes(filtered)).changes).toMatchObject([{ slug: 'tls', removed: true }])
    expect(await dumpRows(catalog)).not.toContain('certificate')
  })

  it('lets an old source return after a purge for its age', async () => {
    const { catalog } = await openNew()
    const runner = createInProcessRunner(catalog)
    for (const request of [leak(), fixed(), other()]) await runner.publish([request])
    const outdated = await catalog.packs.outdated({ keep: 1 })
    expect(outdated).toMatchObject([{ slug: 'tls', version: '1.0.0' }])
    expect(outdated[0]!.bytes).toBeGreaterThan(Buffer.byteLength(LEAK))
    expect(await catalog.packs.outdated({ keep: 2 })).toEqual([])
    await catalog.packs.yank('tls', '2.0.0', 'wrong', actor)
    expect(await catalog.packs.outdated({ keep: 1, slugs: ['tls'] })).toEqual([])
    await catalog.packs.undoYank('tls', '2.0.0', actor)
    await catalog.packs.purge(purge({ allowsSource: true }))
    expect(await runner.publish([leak()])).toMatchObject([{ status: 'published', version: '3.0.0' }])
  })

  it('changes nothing if it fails, and names what is unknown', async () => {
    const { catalog, url } = await openNew()
    await createInProcessRunner(catalog).publish([leak()])
    await expect(catalog.packs.purge(purge({ slug: 'ssh' }))).rejects.toMatchObject({ code: 'unknown_pack' })
    await expect(catalog.packs.purge(purge({ versions: ['1.0.0', '9.0.0'] }))).rejects.toMatchObject({
      code: 'unknown_version',
      hint: expect.stringContaining('1.0.0'),
    })
    await database.run(url, 'drop table audit_log')
    await expect(catalog.packs.purge(purge())).rejects.toMatchObject({ code: 'catalog_unavailable' })
    expect(await catalog.packs.latest('tls')).toMatchObject({ version: '1.0.0' })
    expect(await catalog.packs.purges({ after: 0, limit: 9 })).toEqual([])
  })

  it('is damaged if a purged version still has text', async () => {
    const { catalog, url } = await openNew()
    await createInProcessRunner(catalog).publish([leak()])
    await catalog.packs.purge(purge())
    await database.run(url, `update versions set lead = 'text'`)
    const faults: string[] = []
    await verifyCatalog(catalog, {
      onFault: ({ checks }) => faults.push(...checks.map((one) => one.message)),
    })
    expect(faults).toEqual(['A purged version still has text: versions.lead (sequence 1)'])
  })
})
