import { loadOnce } from '@packs/codec/internal'
import { expect, it } from 'vitest'

it.each([
  ['never', 0],
  ['once', 1],
  ['twice', 2],
])('keeps a value and no failure: one that fails %s', async (_times, failures) => {
  let calls = 0
  const load = loadOnce(() => {
    calls += 1
    return calls <= failures ? Promise.reject(new Error(`failure ${calls}`)) : Promise.resolve(calls)
  })
  for (let at = 1; at <= failures; at++) {
    const failed = expect.objectContaining({
      status: 'rejected',
      reason: new Error(`failure ${at}`),
    }) as unknown
    expect(await Promise.allSettled([load(), load()])).toEqual([failed, failed])
  }
  expect(await Promise.all([load(), load()])).toEqual([failures + 1, failures + 1])
  expect(await load()).toBe(failures + 1)
  expect(calls).toBe(failures + 1)
})
