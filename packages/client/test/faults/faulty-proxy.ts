import { createServer, type IncomingHttpHeaders, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'

/** A response of the real server. */
interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** Sends what is left of an answer. */
type Fault = (answer: Answer, response: ServerResponse) => void

/** Name of the header that selects the fault of a request. */
export const FAULT_HEADER = 'x-test-fault'

const HTML = '<!doctype html><title>Sign in to the network</title>'

const problem = (status: number, code: string, headers: Record<string, string> = {}): Fault => {
  return (_answer, response) =>
    response
      .writeHead(status, { 'content-type': 'application/problem+json', 'x-request-id': 'r-1', ...headers })
      .end(JSON.stringify({ status, code, title: code, detail: 'A problem of the test' }))
}

const page = (status: number, headers: Record<string, string> = {}): Fault => {
  return (_answer, response) =>
    response.writeHead(status, { 'content-type': 'text/html', ...headers }).end(HTML)
}

/** Sends other bytes, with headers that fit them. */
const replaceBody = (change: (body: Buffer) => Buffer): Fault => {
  return ({ status, headers, body }, response) => {
    const changed = body.length === 0 ? body : change(Buffer.from(body))
    response.writeHead(status, { ...headers, 'content-length': changed.length }).end(changed)
  }
}

/** Flips the lowest bit of the byte at the last place of a text. */
const flip = (...texts: readonly string[]) => {
  return (body: Buffer): Buffer => {
    const at = Math.max(...texts.map((text) => body.lastIndexOf(text)))
    if (at < 0) throw new Error(`Nothing to flip in ${body.toString().slice(0, 100)}`)
    body[at]! ^= 1
    return body
  }
}

const half = (body: Buffer): Buffer => body.subarray(0, body.length >> 1)

/** What the proxy can do to a response, by the name in the table. */
export const faults: Readonly<Record<string, Fault>> = {
  'no answer': () => undefined,
  'cut in the headers': (_answer, { socket }) =>
    void socket?.end('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-le'),
  'cut in the body': ({ status, headers, body }, response) => {
    response.writeHead(status, { ...headers, 'content-length': body.length })
    response.write(half(body), () => response.socket?.destroy())
  },
  'cut in the body, with the length of the rest': replaceBody(half),
  'cut in the body, chunked and ended': ({ status, headers, body }, response) => {
    const { 'content-length': _length, ...others } = headers
    response.writeHead(status, others)
    response.write(half(body))
    response.end()
  },
  'a body that drips forever': ({ status, headers }, response) => {
    const { 'content-length': _length, ...others } = headers
    response.writeHead(status, others)
    const timer = setInterval(() => response.write(' '), 20)
    response.on('close', () => clearInterval(timer))
  },
  'a bit flipped in the punctuation': replaceBody(flip('}')),
  'a bit flipped in the text': replaceBody(flip('certificate', 'yanked_reason', 'online', 'pro"')),
  'a bit flipped in Content-Digest': ({ status, headers, body }, response) => {
    const digest = headers['content-digest'] as string | undefined
    const flipped = digest && {
      'content-digest': String(flip('=:')(Buffer.from(digest))).replace('<:', 'A:'),
    }
    response.writeHead(status, { ...headers, ...flipped }).end(body)
  },
  'a byte that is not UTF-8': replaceBody((body) => {
    body[body.length - 3] = 0xff
    return body
  }),
  'compressed although it was not asked for': ({ status, headers, body }, response) => {
    const packed = gzipSync(body)
    response
      .writeHead(status, { ...headers, 'content-encoding': 'gzip', 'content-length': packed.length })
      .end(packed)
  },
  'HTML with status 200': page(200),
  'JSON of something else': (_answer, response) => response.writeHead(200).end('{"data":[{}],"meta":{}}'),
  'a redirect to another host': page(302, { location: 'http://127.0.0.2:9/' }),
  '304 without a tag': (_answer, response) => response.writeHead(304).end(),
  '429, Retry-After 1': problem(429, 'quota_exceeded', { 'retry-after': '1' }),
  '429, Retry-After 3600': problem(429, 'quota_exceeded', { 'retry-after': '3600' }),
  '503, Retry-After 1': problem(503, 'service_unavailable', { 'retry-after': '1' }),
  '503 without Retry-After': problem(503, 'service_unavailable'),
  '503 recovery mode, Retry-After 3600': problem(503, 'recovery_mode', { 'retry-after': '3600' }),
  '502 with HTML': page(502),
  'status 500': problem(500, 'internal_error'),
  'no key is accepted': problem(401, 'invalid_api_key'),
  'another pack': ({ status, headers, body }, response) => void response.writeHead(status, headers).end(body),
}

/** A proxy before the real server that damages the responses to requests with {@link FAULT_HEADER}. */
export interface FaultyProxy {
  readonly url: string
  close(): Promise<void>
}

/** Starts a proxy before a port of this machine. */
export async function startFaultyProxy(port: number): Promise<FaultyProxy> {
  const server = createServer((incoming, response) => {
    const { [FAULT_HEADER]: name, host: _host, connection: _connection, ...headers } = incoming.headers
    // Faults are in plain bytes.
    headers['accept-encoding'] = 'identity'
    const fault = typeof name === 'string' ? decodeURIComponent(name) : ''
    // Lists of versions do not name their pack.
    const path =
      fault === 'another pack' && !incoming.url?.endsWith('/versions')
        ? incoming.url?.replace('tls-certificates', 'http-status-codes')
        : incoming.url
    const outgoing = request({ host: '127.0.0.1', port, path, headers, agent: false }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('end', () => {
        const {
          connection: _kept,
          'keep-alive': _alive,
          'transfer-encoding': _coding,
          ...others
        } = answer.headers
        const received = { status: answer.statusCode ?? 0, headers: others, body: Buffer.concat(chunks) }
        const fault = faults[decodeURIComponent(String(name))]
        if (fault !== undefined) fault(received, response)
        else response.writeHead(received.status, others).end(received.body)
      })
    })
    outgoing.end()
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
