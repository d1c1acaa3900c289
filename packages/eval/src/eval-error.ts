/** Codes of this package's errors, with their exit status; 1 says that a scheme is worse. */
export const exitOfCode = {
  usage: 'usage',
  invalid_questions: 'usage',
  invalid_endpoint: 'usage',
  invalid_eval_config: 'usage',
  endpoint_refused: 'refused',
  endpoint_failed: 'unavailable',
  budget_reached: 'refused',
  calls_missing: 'usage',
  store_in_use: 'refused',
  store_failed: 'unavailable',
  interrupted: 'interrupted',
} as const

export type EvalErrorCode = keyof typeof exitOfCode

/** One of several faults in a file. Lines count from 1; null if unknown. */
export interface Fault {
  readonly line: number | null
  readonly column: null
  readonly message: string
  readonly hint: string
}

interface Details {
  readonly file?: string
  readonly faults?: readonly Fault[]
}

/** An error that is shown to the user: the message says what is wrong, the hint what to do. */
export class EvalError extends Error {
  override readonly name = 'EvalError'
  readonly code: EvalErrorCode
  readonly hint: string
  /** The file concerned. */
  readonly file: string | undefined
  readonly faults: readonly Fault[]

  constructor(code: EvalErrorCode, message: string, hint: string, { file, faults = [] }: Details = {}) {
    super(message)
    this.code = code
    this.hint = hint
    this.file = file
    this.faults = faults
  }
}
