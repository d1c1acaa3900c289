import type { Failure } from '../steps/describe-failure.ts'

/** Writes a failure as the reason that the queue keeps: code and message, and the hint on a line of its own. */
export function writeFailure({ code, message, hint }: Failure): string {
  return `${code}: ${message}\n${hint}`
}

/** Reads what {@link writeFailure} wrote; what the queue itself says of a job is `job_failed`. */
export function parseFailure(reason: string): Failure {
  const [first = '', ...rest] = reason.split('\n')
  const [, code, message] = /^([a-z]+(?:_[a-z]+)+): (.*)$/.exec(first) ?? []
  if (code !== undefined && message !== undefined) return { code, message, hint: rest.join(' ') }
  return {
    code: 'job_failed',
    message: `The job failed: ${first.slice(0, 160)}`,
    hint: 'Publish again; if it fails again, report it with the log of the worker.',
  }
}
