/** Codes of this package's errors, with the exit status of each. */
export const exitOfCode = {
  invalid_questions: 'findings',
  invalid_endpoint: 'usage',
  invalid_eval_config: 'usage',
  endpoint_refused: 'refused',
  endpoint_failed: 'unavailable',
  budget_reached: 'refused',
  calls_missing: 'findings',
  store_in_use: 'refused',
  store_failed: 'findings',
} as const

export type EvalErrorCode = keyof typeof exitOfCode

/** An error that is shown to the user: the message says what is wrong, the hint what to do. */
export class EvalError extends Error {
  override readonly name = 'EvalError'
  readonly code: EvalErrorCode
  readonly hint: string
  /** The file concerned. */
  readonly file: string | undefined

  constructor(
    code: EvalErrorCode,
    message: string,
    hint: string,
    { file, cause }: { readonly file?: string; readonly cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.hint = hint
    this.file = file
  }
}
