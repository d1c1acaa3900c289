import { errorAdvice } from '../error-advice.ts'
import { SourceError } from './pack-source.ts'

/** What an error says. */
export interface Explanation {
  readonly code: string
  /** What is wrong. */
  readonly message: string
  /** What to do. */
  readonly hint: string
}

const MAX_MESSAGE = 200

/**
 * Explains an error of a source, of a client or of the codec to a model that has called a tool; undefined for any other error.
 *
 * @param otherwise hint where there is nothing that the model can do by itself; that of the error if absent
 */
export function explainError(error: unknown, otherwise?: string): Explanation | undefined {
  if (error instanceof SourceError) return error
  if (!isExplained(error)) return undefined
  const { code, message, hint } = error
  const cut = message.slice(0, MAX_MESSAGE).toWellFormed()
  return { code, message: cut, hint: adviseModel(code) ?? otherwise ?? hint }
}

/** Hints of errors are for developers: they name options and methods. */
function adviseModel(code: string): string | undefined {
  return Object.hasOwn(errorAdvice, code) ? errorAdvice[code]!.model : undefined
}

/** Whether an error has a code, and a hint for the caller: those of sources, clients and names do. */
function isExplained(error: unknown): error is Error & Explanation {
  return (
    error instanceof Error &&
    'hint' in error &&
    typeof error.hint === 'string' &&
    'code' in error &&
    typeof error.code === 'string'
  )
}

/** Writes an error for a model: what is wrong, and what to do. */
export function formatError({ code, message, hint }: Explanation): string {
  return `${message.replace(/\.?$/, '.')} ${hint} (${code})`
}
