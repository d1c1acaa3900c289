export { chooseTag, cleanAttribute, INSTRUCTION_TOKENS } from '../frame-packs.ts'
export { VERSION_PATTERN, fieldLimits } from './field-limits.ts'
export { computeSavingsPercent, packFields, serializeCanonical, serializePack } from './pack-fields.ts'
