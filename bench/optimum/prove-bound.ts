import type { ModelData } from 'highs'

/** A number that no point of a model passes, and how much less a point can reach that gives a column its upper bound. */
export interface ProvenBound {
  readonly bound: number
  /** By column, at least 0. */
  readonly penalties: Float64Array
}

/**
 * Bounds a model (maximised, columns between 0 and 1, rows by row) by weak duality, whatever the row prices are worth.
 *
 * For prices y that fit the rows' senses every point has c·x ≤ y·b + Σ max(0, d) − Σ max(0, −d) x, where d = c − yA: so the
 * bound holds even if the solver that gave the prices was stopped or rounded.
 */
export function proveBound(data: Omit<ModelData, 'sense'>, rowPrices: ArrayLike<number>): ProvenBound {
  const { numRows, numCols, colCost, rowLower, rowUpper, matrix } = data
  const reduced = Float64Array.from(colCost)
  let bound = 0
  for (let row = 0; row < numRows; row++) {
    const price = rowPrices[row]!
    const side = price > 0 ? rowUpper[row]! : rowLower[row]!
    if (price === 0 || !Number.isFinite(side)) continue
    bound += price * side
    for (let at = matrix.starts[row]!; at < matrix.starts[row + 1]!; at++) {
      reduced[matrix.indices[at]!]! -= price * matrix.values[at]!
    }
  }
  const penalties = new Float64Array(numCols)
  for (let column = 0; column < numCols; column++) {
    bound += Math.max(0, reduced[column]!)
    penalties[column] = Math.max(0, -reduced[column]!)
  }
  return { bound, penalties }
}
