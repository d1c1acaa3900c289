import solver, { type Highs } from 'highs'

/** A fresh HiGHS, whose memory goes with it. */
export function loadSolver(): Promise<Highs> {
  // Its declarations are those of CommonJS, where the default export would be a property.
  const load = solver as unknown as typeof solver.default
  return load()
}
