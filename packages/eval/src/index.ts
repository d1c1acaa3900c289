export { EvalError, exitOfCode, type EvalErrorCode } from './eval-error.ts'
export * from './types.ts'
