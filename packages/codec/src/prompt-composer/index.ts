// The functions of this module do not wait, so their default tokenizer must be there.
import '../tokens/o200k-base.ts'
export {
  composePacks,
  type ComposePacksOptions,
  type PackPrompt,
  type PromptSource,
} from './compose-packs.ts'
export { composePrompt } from './compose-prompt.ts'
export { extendPrompt } from './extend-prompt.ts'
export type {
  ComposedPrompt,
  ComposeOptions,
  PriorPrompt,
  PromptDocument,
  PromptExtension,
  PromptNote,
  PromptPlan,
} from './types.ts'
export type { WorthHeader } from '../compress/types.ts'
export {
  CompressError,
  type CompressErrorCode,
  type PackPlace,
  type PromptShare,
} from '../compress/compress-error.ts'
