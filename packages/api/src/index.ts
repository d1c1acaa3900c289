export { findAccount } from './access/charge.ts'
export { createApi } from './create-api.ts'
export type { ApiLog, ApiOptions, ApiPorts } from './ports.ts'
export { ApiError, type ApiErrorCode } from './problem/api-error.ts'
