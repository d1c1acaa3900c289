import solver, { type Highs, type Model } from 'highs'
import type { UnitModel } from './build-model.ts'

/** Loads a new HiGHS instance; its memory is freed with it. */
export function loadSolver(): Promise<Highs> {
  // Its type declarations describe CommonJS, where the default export would be a property.
  const load = solver as unknown as typeof solver.default
  return load()
}

export interface Solved {
  /** Solved to optimality; for an integer model to a gap below one. */
  readonly isOptimal: boolean
  /** `-Infinity` if no solution was found. */
  readonly value: number
  /** For an integer model, an upper bound of every solution. */
  readonly bound: number
  readonly columns: Float64Array
  readonly rowPrices: Float64Array
}

/** Maximises a model whose integer solutions have integer values, within `seconds`. */
export function solveModel(highs: Highs, data: UnitModel, seconds: number): Solved {
  const { objectiveSense, modelStatus, solutionStatus } = highs.constants
  const solve = (model: Model): Solved => {
    model.options.set({ output_flag: false, time_limit: seconds, mip_rel_gap: 0, mip_abs_gap: 0.99 })
    model.run()
    const hasSolution = model.info.get('primal_solution_status') === solutionStatus.feasible
    const { colValue, rowDual } = model.getSolution()
    return {
      isOptimal: model.getModelStatus() === modelStatus.optimal,
      value: hasSolution ? model.getObjectiveValue() : -Infinity,
      bound: data.integrality === undefined ? Infinity : Number(model.info.get('mip_dual_bound')),
      columns: colValue,
      rowPrices: rowDual,
    }
  }
  return highs.withModel({ ...data, sense: objectiveSense.maximize }, solve)
}
