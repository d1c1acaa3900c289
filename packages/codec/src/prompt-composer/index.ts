export { composePrompt } from './compose-prompt.ts'
export type {
  ComposedPrompt,
  ComposeOptions,
  PromptDocument,
  PromptExtension,
  PromptNote,
  PromptPlan,
} from './types.ts'
export {
  CompressError,
  type CompressErrorCode,
  type PackPlace,
  type PromptShare,
} from '../compress/compress-error.ts'
