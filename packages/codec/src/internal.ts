// For the packages of this repository, without semver. Whole modules: a bundle in parts would load all of them for a part that needs one name.
export * from './compare-items.ts'
export * from './decode/find-occurrences.ts'
export * from './links/write-links.ts'
export { findHeadings, type Heading, readInlineText } from './markdown/find-headings.ts'
export {
  LineKind,
  LineMark,
  type BlockTable,
  type Container,
  type LineTable,
  isCodeKind,
} from './markdown/line-table.ts'
export { scanLines, type ScanOptions } from './markdown/scan-lines.ts'
export { DIALECTS, MINIFY_RULES, type Minified } from './minify/types.ts'
export {
  DATA_SENTENCE,
  frameAnswer,
  frameTexts,
  INSTRUCTION_TOKENS,
  LINKS_SENTENCE,
  writeHead,
  writeNotes,
} from './frame-packs.ts'
export type { TaggedText } from './frame-packs.ts'
export { derivePackId, digestPack, digestRows, digestText, sealPack } from './pack/digests.ts'
export { findDuplicateMember } from './pack/canonical-json.ts'
export { fieldLimits, URL_PATTERN, VERSION_PATTERN } from './pack/field-limits.ts'
export { computeSavingsPercent, packFields, serializeCanonical, serializePack } from './pack/pack-fields.ts'
export * from './pack/version-range.ts'
export * from './scheme-names.ts'
export { findTextCuts, type TextCuts } from './preview/find-text-cuts.ts'
export { measurePreview } from './sections/slice-body.ts'
export { type TextDivider, createDivider, type PartBlock } from './sections/divide-text.ts'
export {
  locateSections,
  type OutlineLine,
  splitSections,
  writeOutlineLine,
  hideCounts,
  LOCKED_TOKENS,
} from './sections/split-sections.ts'
export * from './signatures/keys-document.ts'
export {
  deriveKeyId,
  encodeSignedText,
  findWrongSignature,
  isKey,
  type PackSignature,
  readSignatures,
} from './signatures/pack-signature.ts'
export { countEdits, findClosestWord, findNearest } from './source/closest-word.ts'
export { addHash, derivePathSlug, withTable } from './source/derive-slug.ts'
export { splitFrontMatter } from './source/front-matter/split-front-matter.ts'
export * from './source/load-source.ts'
export { getTokenizer, tokenizerNames } from './tokens/get-tokenizer.ts'
export { VOCABULARY_VERSION } from './tokens/vocabulary/stored-vocabulary.ts'
