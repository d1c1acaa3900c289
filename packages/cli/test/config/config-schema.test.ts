import { expect, it } from 'vitest'
import { createConfigJsonSchema } from '../../src/config/validate-config.ts'
import { defineConfig } from '../../src/index.ts'
import { ruleTable } from '../../src/lint/rule-table.ts'

it('the schema names the rules of pack lint, for editors', () => {
  const { properties } = createConfigJsonSchema() as {
    properties: { lint: { properties: { rules: { properties: Record<string, object> } } } }
  }
  const { rules } = properties.lint.properties
  const names = Object.entries(rules.properties).filter(([, rule]) => !('deprecated' in rule))
  expect(names.map(([name]) => name)).toEqual(ruleTable.map(({ name }) => name))
  expect(rules).toMatchObject({ additionalProperties: false })
})

it('defineConfig checks types and returns its argument', () => {
  const config = { sources: ['docs'], difficulty: { 'docs/api': 'expert' } } as const
  expect(defineConfig(config)).toBe(config)
  // @ts-expect-error: there is no such scheme
  defineConfig({ scheme: 'dense' })
  // @ts-expect-error: there is no such rule
  defineConfig({ lint: { rules: { 'long-sections': 'off' } } })
})
