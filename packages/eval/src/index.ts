export type { EvalErrorCode } from './eval-error.ts'
export { evalCommand } from './command/eval-command.ts'
export type * from './types.ts'
