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
  const end = async (name: string, done?: Promise<string>): Promise<void> => {
    ends.get(name)!()
    expect(await (done ?? name)).toBe(name)
    await new Promise(setImmediate)
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
    await end(name, done.get(name))
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
  await end('a2', works[1])
  expect(begun).toEqual(['a1', 'a2', 'a3'])
  await end('a1', works[0])
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

const broken = new Error('broken')
const throwNow = (error: unknown) => (): Promise<string> => {
  throw error
}

it.each([
  ['rejects', () => Promise.reject(broken), broken],
  ['rejects later', () => new Promise((_, reject) => setImmediate(reject, broken)), broken],
  ['throws before it has a promise', throwNow(broken), broken],
  ['throws a text', throwNow('text'), 'text'],
  ['throws nothing', throwNow(undefined), undefined],
  ['is not a function', 7 as unknown as () => Promise<string>, expect.any(TypeError)],
])('goes on after work that %s', async (_how, work: () => Promise<unknown>, reason) => {
  for (const owner of ['', 'a']) {
    const queue = createFairQueue({ slots: 3, slotsPerOwner: 2 })
    const failed = queue.run(owner, work)
    const next = queue.run('a', () => Promise.resolve('next'), new AbortController().signal)
    await expect(failed).rejects.toEqual(reason)
    expect([await next, queue.hasSlot(owner), queue.hasSlot('b')]).toEqual(['next', true, true])
  }
})

it.each([{ slots: 1 }, { slots: 1, slotsPerOwner: 1 }, { slots: 2, slotsPerOwner: 1 }])(
  'keeps the slot of work that still runs after an abort: %o',
  async (options) => {
    const { queue, begun, add, end } = start(options)
    const leaving = new AbortController()
    const left = add('a', 'a1', leaving.signal)
    leaving.abort(new Error('left'))
    await expect(left).rejects.toThrow('left')
    expect([queue.hasSlot('a'), begun]).toEqual([false, ['a1']])
    const next = add('a', 'a2')
    expect(begun).toEqual(['a1'])
    await end('a1')
    expect(begun).toEqual(['a1', 'a2'])
    await end('a2', next)
    expect(queue.hasSlot('a')).toBe(true)
  },
)
