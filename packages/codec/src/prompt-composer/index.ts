export { composePrompt } from './compose-prompt.ts'
export type {
  ComposedPrompt,
  ComposeOptions,
  PromptDocument,
  PromptExtension,
  PromptNote,
  PromptPlan,
  PromptShare,
} from './types.ts'
