import { packFields, type Pack } from './pack-schema.ts'

/** Writes a pack as the JSON of a pack file: fields in the order of the format, two spaces, a final line end. */
export function serializePack(pack: Pack): string {
  const fields = packFields.map((key) => [key, pack[key]] as const)
  return `${JSON.stringify(Object.fromEntries(fields), null, 2)}\n`
}
