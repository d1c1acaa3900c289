import type { IncomingHttpHeaders } from 'node:http'
import { connect } from 'node:net'
import type { ApiResponse } from './check-response.ts'

/** Sends bytes and returns everything received until the server closes the connection. */
export function sendBytes(port: number, bytes: string): Promise<Buffer> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes, 'latin1'))
    const chunks: Buffer[] = []
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    // The server may close while the client is still writing.
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(Buffer.concat(chunks)))
  })
}

/** Parses consecutive responses with `Content-Length`. @throws Error for anything else between them */
export function readResponses(bytes: Buffer): ApiResponse[] {
  const responses: ApiResponse[] = []
  let rest = bytes
  while (rest.length > 0) {
    const end = rest.indexOf('\r\n\r\n')
    const [first = '', ...lines] = rest.toString('latin1', 0, end).split('\r\n')
    const [, status] = /^HTTP\/1\.1 (\d{3}) [\w -]+$/.exec(first) ?? []
    if (end < 0 || status === undefined) throw new Error(`Not a response: ${rest.toString().slice(0, 200)}`)
    const pairs = lines.map((line) => [line.split(':', 1)[0]!.toLowerCase(), line.replace(/^[^:]*: */, '')])
    const headers = Object.fromEntries(pairs) as IncomingHttpHeaders
    const length = Number(headers['content-length'] ?? 0)
    responses.push(createResponse(Number(status), headers, rest.subarray(end + 4, end + 4 + length)))
    rest = rest.subarray(end + 4 + length)
  }
  return responses
}

/** Creates a response from its received parts. */
export function createResponse(status: number, headers: IncomingHttpHeaders, bytes: Buffer): ApiResponse {
  const text = headers['content-encoding'] === undefined ? bytes.toString() : ''
  const isJson = /^application\/(problem\+)?json/.test(headers['content-type'] ?? '')
  return {
    status,
    headers,
    bytes,
    text,
    json: isJson && text !== '' ? (JSON.parse(text) as never) : (undefined as never),
  }
}
