import { createFairQueue, type FairQueueOptions } from '@packs/threads'
import { expect, it } from 'vitest'

/** A queue whose work ends when the test says so, and the names of the work that has begun. */
function start(options?: FairQueueOptions) {
  const queue = createFairQueue(options)
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const add = (owner: string, name: string, signal?: AbortSignal): Promise<string> =>
    queue.run(
      owner,
      () => {
        begun.push(name)
        return new Promise<string>((resolve) => ends.set(name, () => resolve(name)))
      },
      signal,
    )
  /** Ends work that runs, and waits until the next has begun. */
  const end = async (name: string, done: Promise<string>): Promise<void> => {
    ends.get(name)!()
    expect(await done).toBe(name)
    await Promise.resolve()
  }
  return { queue, begun, add, end }
}

it('gives each owner a turn before one has a second', async () => {
  const { begun, add, end } = start()
  const done = new Map<string, Promise<string>>()
  for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']) done.set(name, add(name[0]!, name))
  const order = ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']
  for (const [at, name] of order.entries()) {
    expect(begun).toEqual(order.slice(0, at + 1))
    await end(name, done.get(name)!)
  }
})

it('lets an owner who comes later wait for the work that runs only', async () => {
  const { begun, add, end } = start()
  const first = add('a', 'a1')
  for (let at = 2; at < 50; at += 1) void add('a', `a${at}`)
  await end('a1', first)
  void add('b', 'b1')
  expect(begun).toEqual(['a1', 'a2'])
  const { length } = begun
  void add('c', 'c1')
  expect(begun).toHaveLength(length)
})

it('runs as much at the same time as it may', async () => {
  const { begun, add, end } = start({ running: 2 })
  const works = ['a1', 'a2', 'a3', 'b1'].map((name) => add(name[0]!, name))
  expect(begun).toEqual(['a1', 'a2'])
  await end('a2', works[1]!)
  expect(begun).toEqual(['a1', 'a2', 'a3'])
  await end('a1', works[0]!)
  expect(begun).toEqual(['a1', 'a2', 'a3', 'b1'])
})

it('has slots for all and for each owner, which are free again when the work ends or leaves', async () => {
  const { queue, begun, add, end } = start({ slots: 4, slotsPerOwner: 2 })
  const leaving = new AbortController()
  const first = add('a', 'a1')
  const second = add('a', 'a2', leaving.signal)
  expect([queue.hasSlot('a'), queue.hasSlot('b')]).toEqual([false, true])
  leaving.abort(new Error('left'))
  await expect(second).rejects.toThrow('left')
  expect(queue.hasSlot('a')).toBe(true)
  for (const owner of ['b', 'c', 'd']) void add(owner, `${owner}1`)
  expect([queue.hasSlot('a'), queue.hasSlot('e')]).toEqual([false, false])
  await end('a1', first)
  expect([queue.hasSlot('e'), begun]).toEqual([true, ['a1', 'b1']])
})

it('goes on after work that fails', async () => {
  const queue = createFairQueue()
  const failed = queue.run('a', () => Promise.reject(new Error('broken')))
  const next = queue.run('a', () => Promise.resolve('next'))
  await expect(failed).rejects.toThrow('broken')
  expect(await next).toBe('next')
})
