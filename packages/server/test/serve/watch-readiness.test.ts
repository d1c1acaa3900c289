import { expect, it } from 'vitest'
import { createWait } from '../../src/serve/metrics.ts'

/** A question whose answers the test gives. */
function createQuestion(): {
  ask: () => Promise<void>
  asked: () => number
  end: (isAnswer: boolean) => Promise<void>
} {
  const open: PromiseWithResolvers<void>[] = []
  let count = 0
  return {
    ask() {
      count++
      const question = Promise.withResolvers<void>()
      open.push(question)
      return question.promise
    },
    asked: () => count,
    async end(isAnswer) {
      const question = open.shift()!
      if (isAnswer) question.resolve()
      else question.reject(new Error('away'))
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}

it('counts how long the last or the present question is open, also if it fails', async () => {
  const question = createQuestion()
  const wait = createWait(question.ask)
  for (let at = 0; at < 5; at++) wait.pass(250)
  expect([wait.ms(), question.asked()]).toEqual([1000, 1])
  await question.end(false)
  wait.pass(250)
  // The pool is as full as before until a question is answered sooner.
  expect([wait.ms(), question.asked()]).toEqual([1000, 2])
  await question.end(true)
  expect(wait.ms()).toBe(0)
})
