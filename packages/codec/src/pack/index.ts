export * from './check-pack.ts'
export type { JsonObject, JsonValue } from './canonical-json.ts'
export { derivePackId, digestBody, digestPack, sealPack } from './digests.ts'
export {
  MAX_DESCRIPTION,
  MAX_METADATA,
  MAX_METADATA_DEPTH,
  MAX_NAME,
  MAX_PACK,
  MAX_SLUG,
  MAX_SOURCE,
  MAX_TAGS,
  MAX_TITLE,
} from './field-limits.ts'
export { PackError, type PackErrorCode, type PackIssue } from './pack-error.ts'
export { computeSavingsPercent, packFields, serializeCanonical, serializePack } from './pack-fields.ts'
export { createPackJsonSchema, packSchema, type Difficulty, type Pack } from './pack-schema.ts'
export { parsePack } from './parse-pack.ts'
