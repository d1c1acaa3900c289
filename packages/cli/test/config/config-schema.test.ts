import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createConfigJsonSchema } from '../../src/config/validate-config.ts'
import { defineConfig } from '../../src/index.ts'

it('packs.schema.json equals the schema of the code; generate it again if this fails', () => {
  const file = readFileSync(new URL('../../packs.schema.json', import.meta.url), 'utf8')
  expect(JSON.parse(file)).toEqual(createConfigJsonSchema())
})

it('defineConfig checks types and returns its argument', () => {
  const config = { sources: ['docs'], difficulty: { 'docs/api': 'expert' } } as const
  expect(defineConfig(config)).toBe(config)
  // @ts-expect-error: there is no such scheme
  defineConfig({ scheme: 'dense' })
})
