export {
  DATA_SENTENCE,
  frameAnswer,
  frameTexts,
  LINKS_SENTENCE,
  writeHead,
  writeNotes,
} from '../frame-packs.ts'
export type { TaggedText } from '../frame-packs.ts'
export { DIALECTS, MINIFY_RULES, type Minified } from '../minify/types.ts'
export { derivePackId, digestPack, digestRows, digestText, sealPack } from './digests.ts'
export { findDuplicateMember } from './canonical-json.ts'
export { fieldLimits, MAX_SOURCE, SLUG_PATTERN, URL_PATTERN, VERSION_PATTERN } from './field-limits.ts'
export { computeSavingsPercent, packFields, serializeCanonical, serializePack } from './pack-fields.ts'
