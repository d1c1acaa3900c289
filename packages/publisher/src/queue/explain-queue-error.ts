// Apart from `connectRedis`: the process of a job loads no client of Redis.
import { PublishError } from '../publish-error.ts'

/** Converts an error of Redis into a `PublishError`; returns any other error unchanged. */
export function explainQueueError(error: unknown): unknown {
  if (error instanceof PublishError || !(error instanceof Error)) return error
  const { message } = error
  if (/\bOOM command not allowed|\bMISCONF\b/.test(message)) {
    const what = message.includes('MISCONF') ? 'it cannot write to its disk' : 'its memory is full'
    return new PublishError(
      'queue_full',
      `Redis accepts no jobs: ${what}`,
      'Free memory or disk space for Redis. Jobs accepted before will run then.',
      { cause: error },
    )
  }
  const refusal = /^(WRONGPASS|NOAUTH)\b/.exec(message)?.[1]
  if (refusal !== undefined) {
    const what = refusal === 'NOAUTH' ? 'requires a password, and got none' : 'rejected the user or password'
    return new PublishError(
      'queue_unavailable',
      `Redis ${what} (${refusal})`,
      'Correct user and password in REDIS_URL: redis://USER:PASSWORD@HOST:PORT, special characters percent-encoded.',
      { cause: error },
    )
  }
  const reason = findReason(error)
  return reason === undefined ? error : unavailableError(reason, error)
}

/** Returns the error of an unreachable Redis, with a short reason. */
export function unavailableError(reason: string, cause?: unknown): PublishError {
  return new PublishError(
    'queue_unavailable',
    `Redis cannot be reached (${reason})`,
    'Start Redis, check REDIS_URL, and publish again: versions published already stay unchanged.',
    { cause },
  )
}

/**
 * Matches codes and messages of the client. The result never contains the URL, which may hold a
 * password.
 */
function findReason(error: Error): string | undefined {
  const { code } = error as NodeJS.ErrnoException
  if (code !== undefined && /^[A-Z_]+$/.test(code) && /^E[A-Z_]|CERT|TLS|SSL/.test(code)) return code
  const refusal = /^(NOPERM|LOADING|READONLY|CLUSTERDOWN|MASTERDOWN|ERR max number of clients)/.exec(
    error.message,
  )
  if (refusal) return refusal[1]
  return /Stream isn't writeable|Connection is closed|Command timed out|max retries per request|Connection is in subscriber|Connection in state|Cluster isn't ready|Failed to refresh slots cache|None of startup nodes/i.test(
    error.message,
  )
    ? 'the connection broke'
    : undefined
}
