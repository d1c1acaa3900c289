import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Catalog } from '@packs/catalog'
import { createInProcessRunner, type PublishResult } from '@packs/publisher'
import { expect, it, onTestFinished, vi } from 'vitest'
import { describeDatabases } from '../../../test-kit/test/test-database.ts'
import { request, writeSource } from '../sources.ts'

const PROGRAM = fileURLToPath(new URL('../processes/publish-and-die.ts', import.meta.url))

describeDatabases('publishes in several processes, in %s', (database) => {
  const list = async (catalog: Catalog, slug: string): Promise<(string | undefined)[]> =>
    (await catalog.jobs.list(99)).filter((job) => job.slug === slug).map(({ state }) => state)

  it('take effect in the order in which they were accepted, releases too', async () => {
    const url = await database.createCatalog()
    const catalog = await database.open(url)
    const gate = Promise.withResolvers<void>()
    /** Publishes with a connection of its own, as another process. */
    const publish = async (word: string, isHeld: boolean, isRelease: boolean): Promise<PublishResult> => {
      const own = await database.open(url)
      const packs = { ...own.packs }
      const commit: typeof packs.commit = async (versions) => {
        await gate.promise
        return own.packs.commit(versions)
      }
      const runner = createInProcessRunner(isHeld ? { ...own, packs: { ...packs, commit } } : own)
      onTestFinished(() => runner.close())
      const requests = [request(writeSource('a', `# A\n\nThe word ${word}.\n`))]
      const results = isRelease ? runner.release(word, requests) : runner.publish(requests)
      return (await results)[0]!
    }
    const running: Promise<PublishResult>[] = []
    for (const [at, word] of ['one', 'two', 'three', 'two', 'five'].entries()) {
      running.push(publish(word, at === 0, at % 3 === 2))
      // Accepted: the next one comes later.
      await vi.waitFor(async () => expect((await catalog.jobs.unfinished(['a'])).length).toBe(at + 1), 60_000)
    }
    gate.resolve()
    const results = await Promise.all(running)
    expect(results.map(({ version }) => version)).toEqual(['1.0.0', '1.0.1', '1.0.2', '1.0.3', '1.0.4'])
    expect((await catalog.jobs.unfinished(['a'])).length).toBe(0)
  })

  it('do not wait for a process that was killed', async () => {
    const url = await database.createCatalog()
    const catalog = await database.open(url)
    const child = spawn(process.execPath, ['-C', 'source', PROGRAM, url, 'before', 'release'])
    await once(child, 'close')
    expect(await list(catalog, 'r')).toEqual(['active'])
    const runner = createInProcessRunner(catalog)
    onTestFinished(() => runner.close())
    const [result] = await runner.publish([request(writeSource('a', '# Another\n'))])
    expect(result).toMatchObject({ status: 'published', version: '1.0.0' })
    expect(await list(catalog, 'r')).toEqual(['failed'])
  })
})
