// The functions here are synchronous, so their default tokenizer must be loaded already.
import '../tokens/o200k-base.ts'

export { compress, MAX_SOURCE_BYTES } from './compress.ts'
export { CompressError, type CompressErrorCode } from './compress-error.ts'
export { lintGlossary, type GlossaryWarning, type LintOptions } from './lint-glossary.ts'
export { READABILITY_RULES, type ReadabilityRuleId } from './candidates/readability.ts'
export type * from './types.ts'
