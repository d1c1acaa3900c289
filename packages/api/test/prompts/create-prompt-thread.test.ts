import { once } from 'node:events'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { openCatalog, type Catalog } from '@packs/catalog'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import {
  clientsLeftError,
  createPromptThread,
  MAX_PER_ACCOUNT,
  MAX_SLOTS,
  MAX_SHARED_SLOTS,
  type PromptThread,
} from '../../src/prompts/create-prompt-thread.ts'

let catalog: Catalog
let thread: PromptThread
beforeEach(async () => {
  catalog = await openCatalog({ url: ':memory:' })
  thread = createPromptThread(catalog)
})
afterEach(async () => {
  await thread.close()
  await catalog.close()
})

const task = { sequences: [1], options: {}, format: 'json' } as const
const createResponse = (): ServerResponse => new ServerResponse(new IncomingMessage(new Socket()))

async function leave(response: ServerResponse): Promise<void> {
  const closed = once(response, 'close')
  response.destroy()
  await closed
}

it('ends a composition once all of its clients have left', async () => {
  const clients = [createResponse(), createResponse(), createResponse()]
  const places = clients.map((client) => thread.join('a', 'account', client))
  const signals = places.map(({ signal }) => signal)
  const other = thread.join('b', 'account', createResponse()).signal
  await leave(clients[0]!)
  await leave(clients[1]!)
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, false, false])
  await leave(clients[2]!)
  await vi.waitFor(() => expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, true]), {
    timeout: 60_000,
  })
  expect(other.aborted).toBe(false)
  await expect(places[0]!.compose(task)).rejects.toBe(clientsLeftError)
  expect(thread.join('a', 'account', createResponse()).signal.aborted).toBe(false)
})

const join = (name: string, account: string) => thread.join(name, account, createResponse())
const busy = (message: string): unknown => expect.objectContaining({ code: 'service_unavailable', message })

it('has slots for so many prompts, and the clients of one prompt take one of them', async () => {
  const leaving = createResponse()
  thread.join('0', 'account-0', leaving)
  for (let at = 1; at < MAX_SLOTS; at += 1) join(`${at}`, `account-${at}`)
  const tooMany = busy('Too many prompts are being composed now')
  expect(() => join('next', 'account-next')).toThrow(tooMany)
  expect(join('15', 'account-next').signal.aborted).toBe(false)
  await leave(leaving)
  await vi.waitFor(() => join('next', 'account-next'), { timeout: 60_000 })
  expect(() => join('last', 'account-last')).toThrow(tooMany)
})

it('gives an account some of the slots, which are free again once a prompt is composed', async () => {
  const gate = Promise.withResolvers<undefined>()
  vi.spyOn(catalog.packs, 'read').mockReturnValueOnce(gate.promise)
  const names = Array.from({ length: MAX_PER_ACCOUNT }, (_, at) => `own-${at}`)
  const places = names.map((name) => join(name, 'busy'))
  const composed = places[0]!.compose(task)
  expect(() => join('e', 'busy')).toThrow(
    busy(`At most ${MAX_PER_ACCOUNT} prompts of one account can be in progress at the moment`),
  )
  expect(join('own-0', 'busy').signal).toBe(places[0]!.signal)
  const leaving = createResponse()
  expect(thread.join('e', 'other', leaving).signal.aborted).toBe(false)
  await leave(leaving)
  gate.resolve(undefined)
  await expect(composed).rejects.toThrow('A version that was found no longer exists')
  expect(join('f', 'busy').signal.aborted).toBe(false)
})

it('composes the prompts of accounts in turn, and has two slots for each while others wait', async () => {
  const begun: number[] = []
  const ends = new Map<number, () => void>()
  vi.spyOn(catalog.packs, 'read').mockImplementation((sequence) => {
    begun.push(sequence)
    return new Promise((_resolve, reject) => ends.set(sequence, () => reject(new Error(`done ${sequence}`))))
  })
  const compose = (account: string, sequence: number): Promise<unknown> =>
    join(`prompt-${sequence}`, account).compose({ ...task, sequences: [sequence] })
  // While it is alone, an account takes more places than its share.
  const composed = new Map([1, 2, 3, 4].map((sequence) => [sequence, compose('busy', sequence)]))
  for (const sequence of [11, 12]) composed.set(sequence, compose('other', sequence))
  composed.set(21, compose('third', 21))
  for (const account of ['busy', 'other'])
    expect(() => join('one more', account)).toThrow(
      busy(`At most ${MAX_SHARED_SLOTS} prompts of one account can be in progress at the moment`),
    )
  expect(join('a second', 'third').signal.aborted).toBe(false)
  const order = [1, 2, 11, 21, 3, 12, 4]
  for (const [at, sequence] of order.entries()) {
    expect(begun).toEqual(order.slice(0, at + 1))
    ends.get(sequence)!()
    await expect(composed.get(sequence)).rejects.toThrow(`done ${sequence}`)
  }
})
