import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { decodeAnswer } from '../../src/decode/decode-answer.ts'

// Texts and tool calls in twelve languages, written by somebody who had seen no header, each in one script.
const answers = JSON.parse(
  readFileSync(new URL('natural-answers.json', import.meta.url), 'utf8'),
) as readonly unknown[]

it('changes no natural answer, even if each of its letters is a term', () => {
  const letters = new Set(
    JSON.stringify(answers).match(/[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}]/gu),
  )
  const terms = [...letters].filter((letter) => /\p{L}/u.test(letter))
  const header = { entries: terms.map((term) => ({ term, expansion: 'a phrase' })) }
  expect(terms.length).toBeGreaterThan(500)
  expect(answers.length).toBeGreaterThan(200)
  const revive = (_: string, one: unknown): unknown =>
    typeof one === 'string' ? decodeAnswer(one, header) : one
  expect(JSON.parse(JSON.stringify(answers), revive)).toEqual(answers)
})
