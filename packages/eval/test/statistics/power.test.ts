import { describe, expect, it } from 'vitest'
import { leastQuestions, power, questionsNeeded, isAboveMargin } from '../../src/statistics/compare-pairs.ts'

describe('power', () => {
  it('is the sum over all tables', () => {
    // Without a short cut: each question is both right, won or lost.
    const [questions, share, margin] = [45, 0.12, 0.1]
    let ways = 1
    let sum = 0
    for (let onlyArm = 0; onlyArm <= questions; onlyArm++) {
      let inner = ways
      for (let onlySource = 0; onlySource <= questions - onlyArm; onlySource++) {
        const both = questions - onlyArm - onlySource
        if (isAboveMargin({ both, onlyArm, onlySource, neither: 0 }, margin))
          sum += inner * (share / 2) ** (onlyArm + onlySource) * (1 - share) ** both
        inner *= both / (onlySource + 1)
      }
      ways *= (questions - onlyArm) / (onlyArm + 1)
    }
    expect(power(questions, share, 100 * margin)).toBeCloseTo(sum, 10)
  })

  it('is what the fewest questions give if no pair is discordant', () => {
    expect([power(72, 0, 5), power(73, 0, 5)]).toEqual([0, 1])
    // With one question fewer than is needed for one discordant pair, all must agree.
    expect(power(73, 0.02, 5)).toBeGreaterThan(0.98 ** 73)
    expect(power(0, 0.05, 5)).toBe(0)
  })

  it('grows with questions and falls with discordant pairs', () => {
    const table = [120, 240, 480].map((questions) =>
      [0.02, 0.06, 0.1].map((share) => power(questions, share, 5)),
    )
    for (const row of table) expect(row).toEqual(row.toSorted((a, b) => b - a))
    for (const column of [0, 1, 2]) {
      const values = table.map((row) => row[column]!)
      expect(values).toEqual(values.toSorted((a, b) => a - b))
    }
    expect(power(240, 0.05, 5)).toBeGreaterThan(0.8)
  })

  it('is within 0 and 1 for many questions, and if all pairs are discordant', () => {
    expect(power(2000, 0.1, 5)).toBeGreaterThan(0.999)
    expect(power(2000, 0.1, 5)).toBeLessThanOrEqual(1)
    expect(power(60, 1, 5)).toBeLessThan(0.1)
  })
})

it('finds the fewest questions', () => {
  expect([leastQuestions(5), leastQuestions(3)]).toEqual([73, 125])
  for (const points of [1, 2.5, 10, 30]) {
    const least = leastQuestions(points)
    const isEnough = (questions: number): boolean =>
      isAboveMargin({ both: questions, onlyArm: 0, onlySource: 0, neither: 0 }, points / 100)
    expect([isEnough(least - 1), isEnough(least)]).toEqual([false, true])
  }
})

describe('questionsNeeded', () => {
  it('is what the interval needs if no pair is discordant', () => {
    expect([questionsNeeded(0, 0, 5), questionsNeeded(0, 0, 3)]).toEqual([73, 125])
  })

  it.each([0.01, 0.02, 0.05, 0.1, 0.2])('comes to a power of about 80 % at %s discordant', (share) => {
    const needed = questionsNeeded(share / 2, share / 2, 5)!
    expect(power(needed, share, 5)).toBeGreaterThan(0.79)
    expect(power(Math.round(needed * 0.8), share, 5)).toBeLessThan(0.8)
  })

  it('has no number if the difference is not above the margin', () => {
    expect(questionsNeeded(0, 0.05, 5)).toBeNull()
    expect(questionsNeeded(0.01, 0.08, 5)).toBeNull()
    expect(questionsNeeded(0, 0.04, 5)).toBeGreaterThan(1000)
    expect(questionsNeeded(0.1, 0, 5)).toBe(73)
  })
})
