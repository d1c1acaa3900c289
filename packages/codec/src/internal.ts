// For the packages of this repository, without semver. Whole modules: a bundle in parts would load all of them for a part that needs one name.
export * from './compare-items.ts'
export * from './decode/find-occurrences.ts'
export * from './links/link-address.ts'
export * from './links/write-links.ts'
export * from './markdown/index.ts'
export * from './minify/types.ts'
export * from './pack/digests.ts'
export { chooseTag, cleanAttribute, INSTRUCTION_TOKENS, LINKS_SENTENCE } from './frame-packs.ts'
export { fieldLimits, MAX_URL, URL_PATTERN, VERSION_PATTERN } from './pack/field-limits.ts'
export { computeSavingsPercent, packFields, serializeCanonical, serializePack } from './pack/pack-fields.ts'
export * from './pack/version-range.ts'
export * from './scheme-names.ts'
export { findTextCuts, type TextCuts } from './preview/find-text-cuts.ts'
export { measurePreview } from './sections/slice-body.ts'
export { type Block, splitBlocks } from './sections/split-blocks.ts'
export {
  locateSections,
  type OutlineLine,
  splitSections,
  writeOutlineLine,
} from './sections/split-sections.ts'
export * from './signatures/index.ts'
export { countEdits, findClosestWord, findNearest } from './source/closest-word.ts'
export { addHash, derivePathSlug, withTable } from './source/derive-slug.ts'
export { splitFrontMatter } from './source/front-matter/split-front-matter.ts'
export * from './source/load-source.ts'
export { getTokenizer, tokenizerNames } from './tokens/get-tokenizer.ts'
export { VOCABULARY_VERSION } from './tokens/vocabulary/stored-vocabulary.ts'
