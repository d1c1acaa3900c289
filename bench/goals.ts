/** Net savings in percent: mean of all documents, mean of those of 15 KB and more, pooled over all tokens. */
export interface SavingsGoal {
  readonly all?: number
  readonly large?: number
  readonly pooled: number
  /** Share of the documents with a header, in percent. */
  readonly withHeader?: number
}

/** What was measured when the rules for terms were settled, less 0.3. The goals apply to the shared corpus only. */
export const SAVINGS_GOALS: ReadonlyMap<string, SavingsGoal> = new Map<string, SavingsGoal>([
  ['glossary-1', { pooled: 0, withHeader: 5.2 }],
  ['glossary-1 code', { pooled: 0, withHeader: 6.3 }],
  ['dense-1', { all: 10.0, large: 15.7, pooled: 16.1 }],
  ['max-1', { all: 15.1, large: 22.3, pooled: 22.5 }],
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
