export { type Answer, type CallContext, createAnswerLimit } from './answer.ts'
export { createClientSource } from './client-source.ts'
export {
  type AgentTool,
  type AgentTools,
  createTools,
  describeFailure,
  type PreparedCall,
  type ToolCallOptions,
  type ToolFailure,
  type ToolOptions,
  type ToolParameters,
  type ToolResult,
} from './create-tools.ts'
export {
  type DecodedPack,
  describeSection,
  findNearest,
  openMemoryPack,
  openText,
  type TokenizerLoader,
} from './memory-pack.ts'
export * from './pack-source.ts'
export { readMaxTokens, readQuery, readReadArguments } from './read-arguments.ts'
export { type ReadArguments, readPack } from './read-pack.ts'
export { searchPacks } from './search-packs.ts'
export { MAX_TOKENS, MIN_TOKENS, TOOL_TEXTS } from './answer.ts'
