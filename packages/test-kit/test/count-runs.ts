/** Returns how many cases a property test draws: few in `pnpm test`, several hundred times as many in `pnpm test:exact`. */
export function countRuns(few: number): number {
  return Math.ceil(few * Number(process.env['PACKS_PROPERTY_FACTOR'] ?? 0.4))
}
