export { type DecodedPack, decodePack } from '../packs/decode-pack.ts'
export { type Answer, type CallContext, type CallQuota, MIN_TOKENS, TOKENS_PER_REQUEST } from './answer.ts'
export {
  createClientSource,
  describeSection,
  openMemoryPack,
  openText,
  type TokenizerLoader,
} from './client-source.ts'
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
export * from './pack-source.ts'
