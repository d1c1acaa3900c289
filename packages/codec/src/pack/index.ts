export { MAX_DESCRIPTION, MAX_NAME, MAX_SLUG, MAX_TAGS, MAX_TITLE, VERSION_PATTERN } from './field-limits.ts'
export { computeSavingsPercent, packFields, serializeCanonical, serializePack } from './pack-fields.ts'
