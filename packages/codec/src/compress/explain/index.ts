export { explainCompression } from './explain-compression.ts'
export { describeRejection } from './rejection.ts'
export type { ExplainOptions, Explanation, PlaceGuard, Rejection, RejectionReason } from './rejection.ts'
