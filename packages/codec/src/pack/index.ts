export { chooseTag, cleanAttribute, INSTRUCTION_TOKENS, LINKS_SENTENCE } from '../frame-packs.ts'
export { derivePackId, digestPack, digestRows, digestText, sealPack } from './digests.ts'
export { fieldLimits, MAX_URL, URL_PATTERN, VERSION_PATTERN } from './field-limits.ts'
export { computeSavingsPercent, packFields, serializeCanonical, serializePack } from './pack-fields.ts'
