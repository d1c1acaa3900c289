import { expect, it } from 'vitest'
import { getTokenizer, type TokenizerName } from '../../src/tokens/get-tokenizer.ts'
import { loadTokenizer } from '../../src/tokens/load-tokenizer.ts'

it('throw before loading, then return one tokenizer', async () => {
  expect(() => getTokenizer('cl100k_base')).toThrow(
    expect.objectContaining({
      name: 'TokenError',
      code: 'tokenizer_not_loaded',
      hint: expect.stringContaining('loadTokenizer'),
    }),
  )
  const [first, second] = await Promise.all([loadTokenizer('cl100k_base'), loadTokenizer('cl100k_base')])
  expect(first).toBe(second)
  expect(getTokenizer('cl100k_base')).toBe(first)
  expect(first.name).toBe('cl100k_base')
})

it('throw for an unknown name', async () => {
  const unknown = 'p50k_base' as TokenizerName
  const error = expect.objectContaining({ name: 'TokenError', code: 'unknown_tokenizer' })
  expect(() => getTokenizer(unknown)).toThrow(error)
  await expect(loadTokenizer(unknown)).rejects.toThrow(error)
})

it('find o200k_base after its module was imported', async () => {
  expect(() => getTokenizer('o200k_base')).toThrow(expect.objectContaining({ code: 'tokenizer_not_loaded' }))
  const { o200kBase } = await import('../load-o200k-base.ts')
  expect(getTokenizer('o200k_base')).toBe(o200kBase)
  expect(await loadTokenizer('o200k_base')).toBe(o200kBase)
})
