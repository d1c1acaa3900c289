import { createQueueRunner } from '../../src/queue/index.ts'
import { describe, expect, it, onTestFinished } from 'vitest'
import { writeSource, request } from '../sources.ts'
import { openQueueSite, type QueueSite } from './open-queue-site.ts'

/** A source of about so many characters, whose words say which one it is. */
function makeText(slug: string, word: string, size: number): string {
  const line = `The text number ${word} has a line with some words and a number.\n\n`
  return writeSource(slug, `# A\n\n${line.repeat(Math.ceil(size / line.length))}`)
}

/** Returns the numbers that texts have, in the order of their versions. */
async function readOrder({ catalog }: QueueSite, slug: string): Promise<string[]> {
  const words: string[] = []
  for (const { version } of (await catalog.packs.versions(slug)).toReversed()) {
    const { source_sha256 } = (await catalog.packs.provenance(slug, version))!
    const text = Buffer.from((await catalog.sources.get(source_sha256))!).toString()
    words.push(/number (\w+) has/.exec(text)![1]!)
  }
  return words
}

async function startWorkers(site: QueueSite): Promise<void> {
  for (let at = 0; at < 3; at++) await site.startWorker()
}

describe('publishes of one pack take effect in the order in which they were accepted', () => {
  it('with three workers and a small source after a large one', async () => {
    const site = await openQueueSite()
    await startWorkers(site)
    const texts = [makeText('size', 'one', 400_000), makeText('size', 'two', 1000)]
    await site.runner.publish([request(texts[0]!)])
    const [last] = await site.runner.publish([request(texts[1]!)], { wait: true })
    expect(last).toMatchObject({ status: 'published', version: '1.1.0' })
    expect(await readOrder(site, 'size')).toEqual(['one', 'two'])
  })

  it('with any sizes, other packs and releases between, and equal sources again', async () => {
    const site = await openQueueSite()
    const sizes = [20_000, 100, 5000, 100, 40_000, 100, 100, 9000, 100, 3000]
    const words = sizes.map((_, at) => (at % 4 === 3 ? 'again' : `n${at}`))
    for (const [at, size] of sizes.entries()) {
      const requests = [
        request(makeText('mixed', words[at]!, size)),
        request(makeText('other', `o${at}`, 100)),
      ]
      await (at % 3 === 1 ? site.runner.release(`r ${at}`, requests) : site.runner.publish(requests))
      if (at === 2) await startWorkers(site)
    }
    const last = [request(makeText('mixed', 'last', 100)), request(makeText('other', 'last', 100))]
    for (const result of await site.runner.release('last', last, { wait: true }))
      expect(result).toMatchObject({ status: 'published' })
    expect(await readOrder(site, 'mixed')).toEqual([...words, 'last'])
    expect(await readOrder(site, 'other')).toEqual([...sizes.map((_, at) => `o${at}`), 'last'])
  })

  it('without waiting for good for a job that the queue has lost, or that was never added to it', async () => {
    const site = await openQueueSite()
    const publish = (word: string): ReturnType<typeof site.runner.publish> =>
      site.runner.publish([request(makeText('lost', word, 100))])
    await publish('one')
    await site.runner.release(
      'r',
      ['lost', 'more'].map((slug) => request(makeText(slug, 'two', 100))),
    )
    await site.queue.connection.flushall()
    const [three] = await publish('three')
    await site.queue.queue.remove((await site.catalog.jobs.unfinished(['lost']))[0]!.id)
    await site.startWorker()
    await site.waitForJob(three!.job!, 'completed')
    expect(await readOrder(site, 'lost')).toEqual(['one', 'two', 'three'])
  })

  it('though an earlier one fails, also when an operator repeats it', async () => {
    const site = await openQueueSite()
    const bad = request(makeText('bad', 'one', 100).replace('---\n#', 'budget: 1\n---\n#'))
    const [first] = await site.runner.publish([bad])
    const [next] = await site.runner.publish([request(makeText('bad', 'two', 100))])
    await site.startWorker()
    await site.waitForJob(next!.job!, 'completed')
    expect(await readOrder(site, 'bad')).toEqual(['two'])
    // An operator repeats the failed job.
    await (await site.queue.queue.getJob(first!.job!))!.retry('failed')
    await site.waitForJob(first!.job!, 'failed')
    expect(await site.catalog.jobs.get(first!.job!)).toMatchObject({ state: 'failed' })
    expect(await readOrder(site, 'bad')).toEqual(['two'])
  })

  it('from two producers', async () => {
    const site = await openQueueSite()
    const other = await createQueueRunner(site.catalog, site.redisUrl)
    onTestFinished(() => other.close())
    await site.runner.publish([request(makeText('two', 'one', 30_000))])
    await other.publish([request(makeText('two', 'two', 100))])
    await startWorkers(site)
    await site.runner.publish([request(makeText('two', 'three', 100))], { wait: true })
    expect(await readOrder(site, 'two')).toEqual(['one', 'two', 'three'])
  })
})
