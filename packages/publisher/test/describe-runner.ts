import type { Catalog } from '@packs/catalog'
import { readSource, type PublishRequest, type PublishResult, type Runner } from '@packs/publisher'
import { describe, expect, it } from 'vitest'
import { request, writeSource } from './sources.ts'
import { actor } from '../../test-kit/test/make-version.ts'

const TEXT = '# A\n\nSome text.\n'
const wait = { wait: true }

/** A runner and its catalog. Each test uses its own slugs, so that tests may share a catalog. */
export interface RunnerUnderTest {
  readonly catalog: Catalog
  readonly runner: Runner
}

/** Publishes a request so that it fails with a code, and then removes the cause of the failure. */
export interface FailingPublish {
  readonly cause: string
  readonly code: string
  readonly fail: (
    request: PublishRequest,
  ) => Promise<RunnerUnderTest & { readonly failed: Pick<PublishResult, 'status' | 'code' | 'job'> }>
}

/** Tests the contract of `Runner`; run it against each implementation. */
export function describeRunner(
  name: string,
  open: () => Promise<RunnerUnderTest>,
  failures: readonly FailingPublish[],
): void {
  describe(name, () => {
    it.each(failures)(
      'publishes a source again that failed because of $cause, and records where it came from this time',
      async ({ code, fail }) => {
        const text = writeSource('again-after-failure', TEXT)
        const { catalog, runner, failed } = await fail(request(text, { gitCommit: 'a'.repeat(40) }))
        expect(failed).toMatchObject({ status: 'failed', code })
        const moved = readSource({ bytes: Buffer.from(text), path: 'docs/b.md' })
        const [again] = await runner.publish([{ ...moved, actor, gitCommit: 'b'.repeat(40) }], wait)
        expect(again).toMatchObject({ status: 'published', version: '1.0.0', job: failed.job })
        expect(await catalog.packs.provenance('again-after-failure', '1.0.0')).toMatchObject({
          path: 'docs/b.md',
          git_commit: 'b'.repeat(40),
          job: failed.job,
        })
      },
    )

    it('publishes a source once, reports it unchanged the second time, and records its provenance', async () => {
      const { catalog, runner } = await open()
      const source = request(writeSource('one', TEXT), { gitCommit: 'a'.repeat(40) })
      const [first] = await runner.publish([source], wait)
      expect(first).toMatchObject({
        slug: 'one',
        version: '1.0.0',
        status: 'published',
        level: null,
        code: null,
      })
      const [again] = await runner.publish([source], wait)
      expect(again).toMatchObject({ slug: 'one', version: '1.0.0', status: 'unchanged', level: 'none' })
      expect(await catalog.packs.provenance('one', '1.0.0')).toMatchObject({
        path: 'a.md',
        git_commit: 'a'.repeat(40),
        parent_digest: null,
        job: first!.job,
        reasons: ['it is the first version'],
        options: { scheme: 'minify-1', code: true, tokenizer: 'o200k_base' },
        sourceDigest: source.sourceDigest,
      })
      const entries = (await catalog.audit.list({ action: 'version.published', limit: 1000 })).filter(
        ({ target }) => target === 'one@1.0.0',
      )
      expect(entries).toMatchObject([{ actor, details: { job: first!.job } }])
    })

    it('publishes three versions of A, B and A again', async () => {
      const { catalog, runner } = await open()
      const [a, b] = [writeSource('aba', TEXT), writeSource('aba', `${TEXT}\nMore.\n`)].map((text) =>
        request(text),
      )
      const found: PublishResult[] = []
      for (const source of [a!, b!, a!]) found.push(...(await runner.publish([source], wait)))
      expect(found.map(({ status, version, level }) => [status, version, level])).toEqual([
        ['published', '1.0.0', null],
        ['published', '1.1.0', 'minor'],
        ['published', '1.2.0', 'minor'],
      ])
      expect((await catalog.packs.versions('aba')).map(({ version }) => version)).toEqual([
        '1.2.0',
        '1.1.0',
        '1.0.0',
      ])
    })

    it('publishes one version of 20 equal concurrent publishes', async () => {
      const { catalog, runner } = await open()
      const source = request(writeSource('equal', TEXT))
      const all = await Promise.all(Array.from({ length: 20 }, () => runner.publish([source], wait)))
      expect(all.flat().every(({ code, version }) => code === null && version === '1.0.0')).toBe(true)
      expect(await catalog.packs.versions('equal')).toHaveLength(1)
    })

    it('publishes all of several different sources at once', async () => {
      const { catalog, runner } = await open()
      const sources = ['one', 'two', 'three'].map((word) =>
        request(writeSource('differ', `${TEXT}\n${word}\n`)),
      )
      const all = await Promise.all(sources.map((source) => runner.publish([source], wait)))
      expect(all.flat().map(({ status }) => status)).toEqual(['published', 'published', 'published'])
      expect(new Set(all.flat().map(({ version }) => version))).toEqual(new Set(['1.0.0', '1.0.1', '1.0.2']))
      expect(await catalog.packs.versions('differ')).toHaveLength(3)
    })

    it('rejects a named version already published from another source, and publishes the other requests', async () => {
      const { catalog, runner } = await open()
      const named = (body: string): PublishRequest =>
        request(writeSource('named', body, 'version: "2.0.0"\n'))
      await runner.publish([named(TEXT)], wait)
      const found = await runner.publish([named('# B\n'), request(writeSource('other', TEXT))], wait)
      expect(found).toMatchObject([
        { slug: 'named', status: 'conflict', code: 'version_conflict' },
        { slug: 'other', status: 'published', version: '1.0.0' },
      ])
      expect(await catalog.packs.versions('named')).toHaveLength(1)
    })

    it('publishes an unchanged source again with rebuild, at the level of bump', async () => {
      const { runner } = await open()
      const text = writeSource('again', TEXT)
      await runner.publish([request(text)], wait)
      const [patch] = await runner.publish([request(text, { rebuild: true })], wait)
      expect(patch).toMatchObject({ version: '1.0.1', reasons: ['patch: the same source was built again'] })
      const [major] = await runner.publish([request(text, { rebuild: true, bump: 'major' })], wait)
      expect(major).toMatchObject({ version: '2.0.0', level: 'major' })
    })

    it('compares also with the latest version that readers have, if it is not the newest', async () => {
      const { catalog, runner } = await open()
      const text = (slug: string, body: string, fields = ''): PublishRequest =>
        request(writeSource(slug, body, fields))
      const [a, ab, next] = ['# A\n\nOne.\n', '# A\n\nOne.\n\n## B\n', '# A\n\nTwo.\n']
      await runner.publish([text('low', ab, 'version: "2.0.0"\n')], wait)
      await runner.publish([text('low', a, 'version: "1.0.1"\n')], wait)
      const reason = 'major: the heading "B" was removed or renamed'
      expect(await runner.publish([text('low', next)], wait)).toMatchObject([
        {
          version: '3.0.0',
          level: 'major',
          reasons: [
            reason,
            expect.stringMatching(/^minor: /),
            'compared with 2.0.0, the latest that readers have',
          ],
        },
      ])
      await runner.publish([text('yanked', ab)], wait)
      await runner.publish([text('yanked', a)], wait)
      await catalog.packs.yank('yanked', '2.0.0', 'a mistake', actor)
      const [after] = await runner.publish([text('yanked', next)], wait)
      expect(after).toMatchObject({ version: '3.0.0', reasons: expect.arrayContaining([reason]) })
      expect(after!.reasons.at(-1)).toBe('compared with 1.0.0, the latest that readers have')
    })

    it('reports that --rebuild has no effect on a version named by the source', async () => {
      const { runner } = await open()
      const text = writeSource('rebuilt', TEXT, 'version: "1.0.0"\n')
      await runner.publish([request(text)], wait)
      expect(await runner.publish([request(text, { rebuild: true })], wait)).toMatchObject([
        {
          status: 'unchanged',
          reasons: ['1.0.0 has the same source', '--rebuild was ignored: the version needs no decision'],
        },
      ])
    })

    it('reports the line and rule of a source that cannot be built', async () => {
      const { catalog, runner } = await open()
      const [bad] = await runner.publish([request(writeSource('over', TEXT, 'budget: 1\n'))], wait)
      expect(bad).toMatchObject({
        slug: 'over',
        status: 'failed',
        code: 'bad_source',
        message: 'a.md has an error on line 7: over-budget',
      })
      expect(await catalog.packs.head('over')).toBeUndefined()
    })

    it('publishes all members of a release with consecutive sequence numbers', async () => {
      const { catalog, runner } = await open()
      await runner.publish([request(writeSource('member-a', TEXT))], wait)
      const before = await catalog.sequence()
      const found = await runner.release(
        'first',
        [
          writeSource('member-a', `${TEXT}\nMore.\n`),
          writeSource('member-b', TEXT),
          writeSource('member-a2', TEXT),
        ].map((text) => request(text)),
        wait,
      )
      expect(found.map(({ slug, status, version }) => [slug, status, version])).toEqual([
        ['member-a', 'published', '1.1.0'],
        ['member-b', 'published', '1.0.0'],
        ['member-a2', 'published', '1.0.0'],
      ])
      expect(await catalog.sequence()).toBe(before + 3)
      const again = await runner.release('first', [request(writeSource('member-b', TEXT))], wait)
      expect(again).toMatchObject([{ status: 'unchanged', version: '1.0.0' }])
    })

    it('publishes no member of a release if one of them fails', async () => {
      const { catalog, runner } = await open()
      const before = await catalog.sequence()
      const sources = [writeSource('good', TEXT), writeSource('bad', TEXT, 'budget: 1\n')]
      const found = await runner.release(
        'broken',
        sources.map((text) => request(text)),
        wait,
      )
      expect(found).toMatchObject([
        { slug: 'good', status: 'failed', code: 'release_failed' },
        { slug: 'bad', status: 'failed', code: 'bad_source' },
      ])
      expect(await catalog.packs.head('good')).toBeUndefined()
      expect(await catalog.sequence()).toBe(before)
    })

    it('publishes no member of a release if a named version is taken', async () => {
      const { catalog, runner } = await open()
      await runner.publish([request(writeSource('taken', TEXT, 'version: "1.0.0"\n'))], wait)
      const before = await catalog.sequence()
      const free = request(writeSource('free', TEXT))
      const file = {
        bytes: Buffer.from(writeSource('taken', '# B\n', 'version: "1.0.0"\n')),
        path: 'rel/b.md',
      }
      const found = await runner.release('taken', [free, { ...readSource(file), actor }], wait)
      expect(found).toMatchObject([
        {
          slug: 'free',
          status: 'failed',
          code: 'release_failed',
          message: 'Nothing of the release was published, because rel/b.md failed',
        },
        {
          slug: 'taken',
          status: 'conflict',
          code: 'version_conflict',
          message: 'taken@1.0.0 was published before, from another source',
        },
      ])
      expect(await catalog.packs.head('free')).toBeUndefined()
      expect(await catalog.sequence()).toBe(before)
    })

    it('reports rising progress up to 100 %', async () => {
      const { runner } = await open()
      const heard: number[] = []
      const sources = [request(writeSource('far-a', TEXT)), request(writeSource('far-b', TEXT))]
      await runner.publish(sources, { wait: true, onProgress: (percent) => heard.push(percent) })
      expect(heard.at(-1)).toBe(100)
      expect(heard).toEqual(heard.toSorted((a, b) => a - b))
    })
  })
}
