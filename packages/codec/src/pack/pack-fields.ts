import { serializeJson } from './canonical-json.ts'
import { type Pack, packFields } from './generated/pack.ts'

export { packFields } from './generated/pack.ts'

/** The JSON of a pack file: fields in order, two spaces, a final line end. */
export function serializePack(pack: Pack): string {
  const fields = packFields.map((key) => [key, pack[key]] as const)
  return `${JSON.stringify(Object.fromEntries(fields), null, 2)}\n`
}

/** Fields that `pack_digest` does not cover. It covers the digests of `links` and `patch`. */
const UNDIGESTED: ReadonlySet<keyof Pack> = new Set(['pack_digest', 'signatures', 'links', 'patch'])

/** Canonical JSON (RFC 8785) of what `pack_digest` covers; without keys that are not defined. */
export function serializeCanonical(pack: Omit<Pack, 'pack_digest'>): string {
  const values = new Map<string, unknown>(Object.entries(pack))
  const fields = packFields.filter((key) => !UNDIGESTED.has(key)).map((key) => [key, values.get(key)])
  return serializeJson(Object.fromEntries(fields))
}

/**
 * 100 × (1 − paid ÷ full), rounded to two decimals, halves away from zero, and never −0. Computed
 * with integers, so that no rounding error of a division shows.
 */
export function computeSavingsPercent(paid: number, full: number): number {
  if (full === 0) return 0
  const saved = full - paid
  const doubled = 20_000 * Math.abs(saved) + full
  const hundredths = (doubled - (doubled % (2 * full))) / (2 * full)
  if (hundredths === 0) return 0
  return (saved < 0 ? -hundredths : hundredths) / 100
}
