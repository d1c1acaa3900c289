import { readFileSync } from 'node:fs'
import { parseRosetta } from '@packs/codec'
import { expect, it } from 'vitest'
import { countChanges, groupOutput, type Output } from '../answers/count-changes.ts'

const headers = ['[DECODE] €=consignments|水=water', '[DECODE] ML=machine learning'].map((header) =>
  parseRosetta(header),
)

it('counts texts and values that decoding changes, by group', () => {
  const outputs: readonly Output[] = [
    { language: 'en', kind: 'prices', text: 'It costs €5, for ML.' },
    { language: 'de', kind: 'tool_call', value: { sum: '€5', n: 1 } },
    { language: 'fr', kind: 'prose', text: 'Rien.' },
    { language: 'en', kind: 'mixed_scripts', text: 'The character 水.' },
    { language: 'ja', kind: 'prose', text: '水は ML。' },
    { language: 'ko', kind: 'mixed_scripts', text: 'API는' },
  ]
  expect(countChanges(outputs, headers)).toEqual([
    {
      group: 'other languages',
      outputs: 3,
      headers: 2,
      decodeAnswer: { outputs: 0, pairs: 0 },
      decode: { outputs: 2, pairs: 3 },
    },
    {
      group: 'other languages, mixed',
      outputs: 1,
      headers: 2,
      decodeAnswer: { outputs: 1, pairs: 1 },
      decode: { outputs: 1, pairs: 1 },
    },
    {
      group: 'zh, ja, ko, th',
      outputs: 1,
      headers: 2,
      decodeAnswer: { outputs: 0, pairs: 0 },
      decode: { outputs: 1, pairs: 2 },
    },
    {
      group: 'zh, ja, ko, th, mixed',
      outputs: 1,
      headers: 2,
      decodeAnswer: { outputs: 0, pairs: 0 },
      decode: { outputs: 0, pairs: 0 },
    },
  ])
})

it('finds no change in outputs that do not mix scripts, even if each of their letters is a term', () => {
  const path = new URL('../answers/outputs.json', import.meta.url)
  const outputs = JSON.parse(readFileSync(path, 'utf8')) as readonly Output[]
  const letters = new Set(
    JSON.stringify(outputs).match(/[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}]/gu),
  )
  const terms = [...letters].filter((letter) => /\p{L}/u.test(letter))
  const header = { entries: terms.map((term) => ({ term, expansion: 'a phrase' })) }
  const unmixed = outputs.filter((output) => !groupOutput(output).endsWith('mixed'))
  expect(terms.length).toBeGreaterThan(500)
  expect(unmixed.length).toBeGreaterThan(200)
  for (const { decodeAnswer } of countChanges(unmixed, [header])) expect(decodeAnswer.outputs).toBe(0)
})
