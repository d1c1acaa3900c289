import type { OptimumRow } from './measure-optimum.ts'

const TOLERANCE = 1e-6

/** What is wrong with a row, in words; nothing if value ≤ optimum ≤ bound and the selection is what it is said to be. */
export function judgeOptimum(row: OptimumRow): string[] {
  const { value, weight, keepsFloors, bound, reached, limit } = row
  const faults: string[] = []
  if (value !== weight) faults.push(`the selection weighs ${weight}, not ${value}`)
  if (!keepsFloors) faults.push('an entry does not bring its floor')
  if (limit !== null && value > limit + TOLERANCE) faults.push(`value ${value} above the optimum ${limit}`)
  if (bound < reached - TOLERANCE) faults.push(`bound ${bound} below the optimum ${reached}`)
  return faults
}
