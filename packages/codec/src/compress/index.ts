export { compress, MAX_SOURCE_BYTES } from './compress.ts'
export { compressTogether } from './compress-together.ts'
export { CompressError, type CompressErrorCode } from './compress-error.ts'
export { describeRejection } from './describe-rejection.ts'
export { explainCompression } from './explain-compression.ts'
export type { ExplainOptions, Explanation, PlaceGuard, Rejection, RejectionReason } from './explain-types.ts'
export { lintGlossary, type GlossaryWarning, type LintOptions } from './lint-glossary.ts'
export { READABILITY_RULES, type ReadabilityRuleId } from './readability-rules.ts'
export type {
  Compression,
  CompressionEntry,
  CompressOptions,
  GlossaryNote,
  GlossaryRule,
  SharedCompression,
} from './types.ts'
