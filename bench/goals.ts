/** Net savings in percent: mean of all documents, mean of those of 15 KB and more, pooled over all tokens. */
export interface SavingsGoal {
  readonly all: number
  readonly large: number
  readonly pooled: number
}

/** Goals, and floors that must hold now. Both apply to the shared corpus only. */
export const SAVINGS_GOALS: ReadonlyMap<string, { readonly goal: SavingsGoal; readonly floor: SavingsGoal }> =
  new Map([
    [
      'glossary-1',
      { goal: { all: 5.0, large: 6.4, pooled: 7.0 }, floor: { all: 4.2, large: 5.2, pooled: 5.7 } },
    ],
    [
      'glossary-1 code',
      { goal: { all: 6.8, large: 9.4, pooled: 9.6 }, floor: { all: 5.6, large: 7.8, pooled: 8.0 } },
    ],
    [
      'dense-1',
      { goal: { all: 13.0, large: 18.0, pooled: 18.0 }, floor: { all: 10.5, large: 14.5, pooled: 14.5 } },
    ],
    [
      'max-1',
      { goal: { all: 16.5, large: 22.5, pooled: 22.5 }, floor: { all: 13.5, large: 18.0, pooled: 18.0 } },
    ],
  ])

/** Lower limit for the median of selection ÷ certified upper bound. `max-1` has no goal. */
export const OPTIMALITY_GOALS: ReadonlyMap<string, number> = new Map([
  ['glossary-1', 0.99],
  ['glossary-1 code', 0.99],
  ['dense-1', 0.985],
])

/** Upper limit for compression time ÷ tokenisation time, as a median. */
export const SPEED_GOALS: ReadonlyMap<string, number> = new Map([
  ['glossary-1', 6],
  ['glossary-1 code', 6],
  ['dense-1', 12],
  ['max-1', 20],
])

/** Lower limit for decode speed ÷ speed of a bare `charCodeAt` loop. */
export const DECODE_GOAL = 0.25

/** Lower limit for decode speed with the most entries ÷ decode speed with the fewest. */
export const DECODE_SCALING_GOAL = 0.5

/** Upper limits in seconds for `pack build` of 300 files on a quiet machine with two cores. */
export const BUILD_GOALS: ReadonlyMap<string, number> = new Map([
  ['unchanged', 1],
  ['one edit', 1.5],
])
