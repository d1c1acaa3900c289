import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Answer, AskedModel } from '../../src/calls/ask-model.ts'
import { type Call, type CallStore, openStore } from '../../src/calls/call-store.ts'
import { createCallRunner, type RunOptions } from '../../src/calls/run-calls.ts'
import { EvalError } from '../../src/eval-error.ts'
import { makeFolder } from '../../../test-kit/test/run-pack.ts'

const PRICES = { input: 1_000_000, cached: 0, output: 0 }

it('asks equal calls once, and answers in the order of the calls', async () => {
  const { runner, asked } = start()
  const answers = await runner.run([call('a'), call('b'), call('a'), call('c')])
  expect(answers.map(({ text }) => text)).toEqual(['a!', 'b!', 'a!', 'c!'])
  await runner.run([call('c'), call('d')])
  expect(asked.toSorted()).toEqual(['a', 'b', 'c', 'd'])
  expect(runner.totals()).toEqual({ all: 4, stored: 0, made: 4, cost: 0 })
})

it('takes what an earlier run has stored, and asks only the rest', async () => {
  const folder = makeFolder()
  const first = start({ folder })
  await first.runner.run([call('a'), call('b')])
  first.store.close()
  const second = start({ folder })
  await second.runner.run([call('b'), call('c')])
  expect(second.asked).toEqual(['c'])
  expect(second.runner.totals()).toMatchObject({ all: 2, stored: 1, made: 1 })
})

it('asks the first call alone, so that a wrong key costs one request', async () => {
  const { runner, asked } = start({ ask: () => refuse('endpoint_refused') })
  await expect(runner.run(['a', 'b', 'c'].map(call))).rejects.toMatchObject({ code: 'endpoint_refused' })
  expect(asked).toEqual(['a'])
})

it('goes on after single failures, and says how many calls are unanswered', async () => {
  const { runner, asked, store } = start({
    ask: (text) => (text === 'b' ? refuse('endpoint_failed') : answer(text)),
  })
  await expect(runner.run(['a', 'b', 'c', 'd'].map(call))).rejects.toMatchObject({
    code: 'endpoint_failed',
    message: '1 of 4 calls were not answered; the first: it failed',
  })
  expect(asked.toSorted()).toEqual(['a', 'b', 'c', 'd'])
  expect(store.count()).toBe(3)
})

it('stops after five failures in a row', async () => {
  const { runner, asked } = start({ ask: () => refuse('endpoint_failed'), concurrency: 1 })
  await expect(runner.run(Array.from('abcdefgh', call))).rejects.toMatchObject({ message: 'it failed' })
  expect(asked).toHaveLength(5)
})

it('asks nothing that the budget may not allow, and counts what is stored', async () => {
  const folder = makeFolder()
  const run = async (budget: number): Promise<{ asked: readonly string[]; error: unknown }> => {
    const { runner, asked, store } = start({ folder, prices: PRICES, budget, concurrency: 1 })
    const error = await runner.run(Array.from('abcdef', call)).catch((one: unknown) => one)
    store.close()
    return { asked, error }
  }
  // Each answer costs a dollar.
  const first = await run(3)
  expect(first).toMatchObject({ asked: ['a', 'b', 'c'], error: { code: 'budget_reached' } })
  const second = await run(3)
  expect(second).toMatchObject({
    asked: [],
    error: { code: 'budget_reached', message: expect.stringContaining('$3.0000 are used, 3 calls') },
  })
  const third = await run(6)
  expect(third.asked).toEqual(['d', 'e', 'f'])
})

it('does not ask a call whose prompt alone is over the budget', async () => {
  const { runner, asked } = start({ prices: PRICES, budget: 3 })
  const large = { ...call('a'), promptTokens: 4 }
  await expect(runner.run([large])).rejects.toMatchObject({ code: 'budget_reached' })
  expect(asked).toEqual([])
})

it('asks nothing more with a budget once an answer has no tokens, which could cost anything', async () => {
  const ask = async (text: string): Promise<Answer> => {
    const one = await answer(text)
    return { ...one, tokens: { ...one.tokens, output: null } }
  }
  const folder = makeFolder()
  const { runner, asked, store } = start({ folder, prices: PRICES, budget: 30, ask })
  await expect(runner.run(Array.from('abc', call))).rejects.toMatchObject({ code: 'budget_reached' })
  expect(asked).toEqual(['a'])
  store.close()
  const again = start({ folder, prices: PRICES, budget: 30, ask })
  await expect(again.runner.run(Array.from('abc', call))).rejects.toThrow('does not report the tokens')
  expect(again.asked).toEqual([])
  again.store.close()
  const unlimited = start({ folder, prices: PRICES, ask })
  await expect(unlimited.runner.run(Array.from('abc', call))).resolves.toHaveLength(3)
})

it('says what is used when the budget is reached, with the calls that were on their way', async () => {
  const { runner } = start({ prices: PRICES, budget: 5, concurrency: 4 })
  const running = runner.run(Array.from('abcdefgh', call))
  await expect(running).rejects.toMatchObject({
    message: expect.stringMatching(/\$5\.0000 are used, 3 calls are left/),
  })
})

it('starts nothing more when it is stopped, and stores what is on its way', async () => {
  const stop = new AbortController()
  const { runner, asked, store } = start({
    stop: stop.signal,
    concurrency: 2,
    ask: async (text) => {
      if (asked.length === 3) stop.abort(new EvalError('interrupted', 'stopped', ''))
      await new Promise((resolve) => setImmediate(resolve))
      return answer(text)
    },
  })
  await expect(runner.run(Array.from('abcdefgh', call))).rejects.toMatchObject({ code: 'interrupted' })
  expect(store.count()).toBe(asked.length)
  expect(asked.length).toBeLessThan(5)
})

it('stores the answers on their way when the disk is full, and asks nothing more', async () => {
  const stored: string[] = []
  const fault = new EvalError('store_failed', 'full', '')
  const full: CallStore = {
    find: () => undefined,
    count: () => 0,
    close: () => undefined,
    save: ({ prompt }) => void stored.push(prompt.user),
    fault: () => (stored.length >= 2 ? fault : undefined),
  }
  const { runner, asked } = start({ full, concurrency: 3 })
  await expect(runner.run(Array.from('abcdefgh', call))).rejects.toBe(fault)
  expect(stored).toEqual(asked)
  expect(asked.length).toBeLessThan(6)
})

it('reports from stored answers only, and says what is missing', async () => {
  const folder = makeFolder()
  const first = start({ folder })
  await first.runner.run([call('a'), call('b')])
  first.store.close()
  const replay = (texts: readonly string[]): Promise<unknown> =>
    start({ folder, isReplay: true }).runner.run(texts.map(call))
  await expect(replay(['a', 'b'])).resolves.toHaveLength(2)
  await expect(replay(['a', 'c'])).rejects.toMatchObject({
    code: 'calls_missing',
    message: '1 of 2 calls are not stored',
  })
  await expect(replay(['x', 'y'])).rejects.toMatchObject({
    message: 'none of the 2 calls is stored, only 2 of other prompts, models or options',
  })
})

interface Started extends Partial<RunOptions> {
  readonly folder?: string
  readonly full?: CallStore
  readonly ask?: (text: string) => Promise<Answer>
}

/** What the model does that all calls ask. */
let respond: (text: string) => Promise<Answer>
const SMALL: AskedModel = { name: 'small', url: null, ask: ({ user }) => respond(user) }

function start({ folder = makeFolder(), full, ask = answer, ...others }: Started = {}): {
  readonly runner: ReturnType<typeof createCallRunner>
  readonly store: CallStore
  readonly asked: string[]
} {
  const asked: string[] = []
  respond = (user) => {
    asked.push(user)
    return ask(user)
  }
  const store = full ?? openStore(join(folder, 'store'), others.isReplay ?? false)
  const stop = new AbortController().signal
  const runner = createCallRunner({ store, isReplay: false, concurrency: 4, stop, ...others })
  return { runner, store, asked }
}

function call(user: string): Call {
  return { prompt: { user }, model: SMALL, options: {}, replicate: 0 }
}

async function answer(text: string): Promise<Answer> {
  const tokens = { input: 1, cached: 0, output: 0, reasoning: 0 }
  return { text: `${text}!`, returned: 'small', finish: 'stop', tokens, milliseconds: 1 }
}

function refuse(code: 'endpoint_refused' | 'endpoint_failed'): Promise<Answer> {
  return Promise.reject(new EvalError(code, 'it failed', 'look'))
}
