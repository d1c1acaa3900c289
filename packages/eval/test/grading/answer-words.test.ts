import { expect, test } from 'vitest'
import { countTerms } from '../../src/grading/grade-by-rule.ts'

const HEADER =
  '[DECODE] 水=database administrator|ML=machine learning|gw=gateway|€=consignments|A=any|K8=kubernetes'
const question = { question: 'What is it?', answer: 'machine learning', accept: ['learning'] }

test.each([
  ['It is machine learning.', 0],
  ['It is ML.', 1],
  ['ML, ML and gw', 3],
  ['Ask the 水 about ML', 2],
  ['水', 0],
  ['MLs, XML, ML_2, ml and K8', 0],
  ['A price of €5', 0],
  ['', 0],
])('counts the terms of %j: %i', (answer, uses) => {
  expect(countTerms(answer, HEADER, question)).toBe(uses)
})

test('does not count acronyms of the question and its answers', () => {
  expect(countTerms('ML gw', HEADER, { ...question, question: 'What is ML?' })).toBe(1)
  expect(countTerms('ML gw', HEADER, { ...question, answer: 'gw' })).toBe(1)
  expect(countTerms('ML gw', HEADER, { ...question, accept: ['the gw', 'ML'] })).toBe(0)
})

test('refuses what is no header', () => {
  expect(() => countTerms('ML', 'ML=machine learning', question)).toThrow(
    expect.objectContaining({ code: 'no_marker' }),
  )
})
