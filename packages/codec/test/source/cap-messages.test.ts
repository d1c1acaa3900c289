import { expect, test } from 'vitest'
import { parseSource } from '../../src/source/index.ts'

test('of each rule the first fifty are told, and how many more there are', () => {
  const rules = '  - {expansion: one phrase}\n'.repeat(73)
  const { messages } = parseSource(`---\nglossary:\n${rules}---\n<!-- /pack -->\n`, { path: 'a.md' })
  const told = messages.filter(({ ruleId }) => ruleId === 'invalid-value')
  expect(told).toHaveLength(51)
  expect(told.map(({ line }) => line)).toEqual(Array.from({ length: 51 }, (_, at) => at + 4))
  expect(told.at(-1)).toMatchObject({
    reason: '22 more like those above, the first of them here',
    fatal: true,
  })
  expect(messages.filter(({ ruleId }) => ruleId === 'directive-stray')).toHaveLength(1)
})
