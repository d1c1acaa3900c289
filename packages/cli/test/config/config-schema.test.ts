import { expect, it } from 'vitest'
import { defineConfig } from '../../src/index.ts'

it('defineConfig checks types and returns its argument', () => {
  const config = { sources: ['docs'], difficulty: { 'docs/api': 'expert' } } as const
  expect(defineConfig(config)).toBe(config)
  // @ts-expect-error: there is no such scheme
  defineConfig({ scheme: 'dense' })
})
