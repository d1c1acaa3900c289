import { packFields, type Pack } from './pack-schema.ts'
import { sha256Hex } from './sha256.ts'

/** SHA-256 of a source body as UTF-8, hexadecimal. */
export function digestBody(body: string): string {
  return sha256Hex(body)
}

/**
 * SHA-256 of the canonical JSON (RFC 8785) of a pack, hexadecimal: the fields of format `packs/1` without `pack_digest`.
 *
 * Keys that the format does not know, such as the times a catalog adds, are no part of it.
 */
export function digestPack(pack: Omit<Pack, 'pack_digest'>): string {
  const values = new Map<string, unknown>(Object.entries(pack))
  const keys = packFields.filter((key) => key !== 'pack_digest').toSorted()
  const fields = keys.map((key) => [key, values.get(key)])
  return sha256Hex(JSON.stringify(Object.fromEntries(fields)))
}

/** Adds its digest to a pack. */
export function sealPack(draft: Omit<Pack, 'pack_digest'>): Pack {
  return { ...draft, pack_digest: digestPack(draft) }
}
