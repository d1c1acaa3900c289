/** Codes of this package's errors, with their exit status; 1 says that a scheme is worse. */
export const exitOfCode = {
  usage: 'usage', // an option is missing, or two do not fit each other
  invalid_questions: 'usage', // the file of `--questions` is not valid, or does not fit the documents
  invalid_endpoint: 'usage', // `--url` is neither https nor an address of this machine, or has a user, password, query or fragment
  invalid_eval_config: 'usage', // `packs.eval.ts` exports something that is not valid
  endpoint_refused: 'refused', // the endpoint cannot be reached, redirects, or refuses the key, the model or the size of a prompt
  endpoint_failed: 'unavailable', // calls were not answered: the endpoint failed, stalled, sent no chat completion or limited the rate
  budget_reached: 'refused', // the next call may cost more than `--budget` leaves
  calls_missing: 'usage', // `--replay` needs calls that are not stored
  store_in_use: 'refused', // another `pack eval` uses `.packs/eval`
  store_failed: 'unavailable', // `.packs/eval` cannot be written, is not private, or the disk is full
  interrupted: 'interrupted', // the run was stopped by Ctrl-C or SIGTERM
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
