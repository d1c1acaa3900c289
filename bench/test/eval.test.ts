import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { type EvalFigures, GOALS, simulate } from '../eval/simulate.ts'

const saved = JSON.parse(readFileSync('bench/results/eval.json', 'utf8')) as EvalFigures

it.each([
  ['independent questions', 12, 'alike', 1],
  ['documents that are drawn', 24, 0.2, -0.05],
] as const)('gives the saved figures of %s again, from the same seed', (_, documents, kind, difference) => {
  const at = saved.cells.findIndex(
    (cell) =>
      cell.setting.documents === documents &&
      cell.setting.kind === kind &&
      (difference === 1 || cell.difference === difference),
  )
  const { setting, questions, discordant, difference: own, ...figures } = saved.cells[at]!
  const cell = { setting, questions, discordant, difference: own }
  expect(simulate(cell, saved.runs, saved.seed + at)).toEqual({ ...cell, ...figures })
  expect(simulate(cell, 500, saved.seed + at + 1)).not.toEqual(simulate(cell, 500, saved.seed + at))
})

it('reached the goals with independent questions', () => {
  const independent = saved.cells.filter(({ setting }) => setting.kind === 'alike')
  expect(independent).toHaveLength(2 * (4 * 5 + 4 * 4))
  expect(independent.filter((cell) => cell.difference !== 0 && cell.as_good > GOALS.wrong)).toEqual([])
  const missed = independent.filter(({ covered }) => covered < GOALS.covered)
  // Counts are whole numbers, so that coverage is now above, now below 95 %.
  expect(missed.map(({ questions, discordant }) => [questions, discordant])).toEqual([[73, 0.1]])
  expect(saved.orders.every(({ wrong }) => wrong <= GOALS.wrong)).toBe(true)
})

it('takes the interval to be about the documents drawn, unless there are 20', () => {
  const cell = { questions: 240, discordant: 0.1, difference: 0 }
  const few = simulate({ ...cell, setting: { documents: 12, kind: 0.2 } }, 1000, 1)
  const many = simulate({ ...cell, setting: { documents: 24, kind: 0.2 } }, 1000, 1)
  expect(few.covered).toBeLessThan(0.8)
  expect(few.covered_own).toBeGreaterThan(GOALS.covered)
  expect(many.covered).toBeGreaterThan(GOALS.covered)
})
