export { createPin, parseLock, serializeLock } from './lock.ts'
export { ClientError, type ClientErrorCode, type ClientErrorDetails } from './client-error.ts'
export { createClient } from './create-client.ts'
export { mayCarryKey } from './requests/send-request.ts'
export { createMemoryCache } from './requests/store.ts'
export { openDocs } from './open-docs.ts'
export type { Docs } from './create-docs.ts'
export type * from './docs/types.ts'
export type {
  AgentTool,
  AgentTools,
  ToolCallOptions,
  ToolFailure,
  ToolNames,
  ToolParameters,
  ToolResult,
} from './tools/create-tools.ts'
export type * from './types.ts'
