import { describe, expect, it } from 'vitest'
import { leastQuestions, questionsNeeded, scoreInterval } from '../../src/statistics/compare-pairs.ts'

it('finds the fewest questions', () => {
  expect([leastQuestions(5), leastQuestions(3)]).toEqual([73, 125])
  for (const points of [1, 2.5, 10, 30]) {
    const least = leastQuestions(points)
    const isEnough = (questions: number): boolean =>
      scoreInterval({ both: questions, onlyArm: 0, onlySource: 0, neither: 0 })[0] > -points / 100
    expect([isEnough(least - 1), isEnough(least)]).toEqual([false, true])
  }
})

describe('questionsNeeded', () => {
  it('is what the interval needs if no pair is discordant', () => {
    expect([questionsNeeded(0, 0, 5), questionsNeeded(0, 0, 3)]).toEqual([73, 125])
  })

  it('is more than for an interval around what was seen, which lies above the margin in half of the evaluations', () => {
    for (const share of [0.01, 0.02, 0.05, 0.1, 0.2]) {
      const needed = questionsNeeded(share / 2, share / 2, 5)!
      const seen = (share / 2) * needed
      const pairs = { both: needed - 2 * seen, onlyArm: seen, onlySource: seen, neither: 0 }
      expect(scoreInterval(pairs)[0]).toBeGreaterThan(-0.05)
    }
  })

  it('has no number if the difference is not above the margin', () => {
    expect(questionsNeeded(0, 0.05, 5)).toBeNull()
    expect(questionsNeeded(0.01, 0.08, 5)).toBeNull()
    expect(questionsNeeded(0, 0.04, 5)).toBeGreaterThan(1000)
    expect(questionsNeeded(0.1, 0, 5)).toBe(73)
  })
})
