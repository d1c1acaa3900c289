export { findAccount } from './hooks/caller.ts'
export { createApi } from './create-api.ts'
export type { ApiLog, ApiOptions, ApiPorts } from './ports.ts'
export { ApiError, type ApiErrorCode } from './errors/api-error.ts'
