import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { ApiPorts } from '../ports.ts'
import { refuseInRecovery } from '../access/recovery.ts'
import { ApiError, type ApiErrorCode } from './api-error.ts'
import { PROBLEM_TYPE, writeProblem } from './describe-problem.ts'
import { problemTable } from './problem-table.ts'

/**
 * Creates what answers bytes that are no request, headers without end and clients that are too slow, and closes their
 * connection. In recovery mode, what cannot be read counts as a request below `/api/v1`.
 */
export function createClientErrorHandler(mode: ApiPorts['mode']): (error: Error, socket: Socket) => void {
  return (error, socket) => {
    if ((error as NodeJS.ErrnoException).code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    const refusal = explainClientError(error)
    const current = mode.current()
    const isRecovery = current.mode === 'recovery' && refusal.code !== 'request_timeout'
    socket.end(writeAnswer(isRecovery ? refuseInRecovery(current) : refusal))
  }
}

function explainClientError(error: Error): ApiError {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'HPE_HEADER_OVERFLOW':
      return explain('headers_too_large', 'Address and headers together are larger than 16 KiB')
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return explain('request_timeout', 'The request did not arrive in time')
    default:
      return explain('invalid_request', 'What arrived is no HTTP request')
  }
}

function explain(code: ApiErrorCode, detail: string): ApiError {
  return new ApiError(code, detail)
}

function writeAnswer(error: ApiError): string {
  const { status } = problemTable[error.code]
  const id = randomUUID()
  const body = writeProblem(error, '/', id)
  const headers: Readonly<Record<string, string>> = {
    ...error.extras.headers,
    'cache-control': 'no-store',
    'content-type': PROBLEM_TYPE,
    'content-length': String(Buffer.byteLength(body)),
    'access-control-allow-origin': '*',
    'x-content-type-options': 'nosniff',
    'x-request-id': id,
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`
}
