/** Returns how many cases a property test draws: few in `pnpm test`, a hundred times as many in `pnpm test:exact`. */
export function countRuns(few: number): number {
  return few * Number(process.env['PACKS_PROPERTY_FACTOR'] ?? 1)
}
