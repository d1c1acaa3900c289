// The functions of this module are synchronous, so their default tokenizer must be loaded already.
import '../tokens/o200k-base.ts'
export * from './compose-packs.ts'
export { composePrompt } from './compose-prompt.ts'
export type * from './types.ts'
export type { WorthHeader } from '../compress/types.ts'
export * from '../compress/compress-error.ts'
