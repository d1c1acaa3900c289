import { isFailureCode, type Failure } from '../work/describe-failure.ts'

/** Writes a failure as the reason that the queue keeps: code and message, and the hint on a line of its own. */
export function writeFailure({ code, message, hint }: Failure): string {
  return `${code}: ${message}\n${hint}`
}

/** Reads what {@link writeFailure} wrote; what the queue itself says of a job is `job_failed`. */
export function parseFailure(reason: string): Failure {
  const [first = '', ...rest] = reason.split('\n')
  const colon = first.indexOf(': ')
  const code = first.slice(0, Math.max(0, colon))
  if (isFailureCode(code)) return { code, message: first.slice(colon + 2), hint: rest.join(' ') }
  return {
    code: 'job_failed',
    message: `The job failed: ${first.slice(0, 160)}`,
    hint: 'Publish again; if it fails again, report it with the log of the worker.',
  }
}
