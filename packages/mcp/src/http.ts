import { createMcpHandler } from '@modelcontextprotocol/server'
import { createPackServer, type PackServerOptions } from './pack-server.ts'
import type { PackSource } from '@packs/client/agent-tools'

/** What is needed to serve one request. */
export interface RequestServer extends PackServerOptions {
  /** What the request may read. */
  readonly source: PackSource
}

/** Answers requests of Streamable HTTP. */
export interface PackHandler {
  /** Answers a request. When its `signal` aborts, the call ends. */
  answer(request: Request, server: RequestServer): Promise<Response>
  /** Waits for requests in progress. Later requests are still answered. */
  close(): Promise<void>
}

/**
 * Creates the handler of an endpoint without sessions: each request has a server of its own, in the
 * current revision of the protocol or one before it. No request leaves a stream open, because a
 * stream would outlive its key. The caller checks keys and origins, and limits the body.
 *
 * @example
 * const handler = createPackHandler()
 * const response = await handler.answer(request, { source, version: '1.0.0' })
 */
export function createPackHandler(): PackHandler {
  const handler = createMcpHandler(
    ({ authInfo }) => {
      const server = authInfo!.extra!['server'] as RequestServer
      return createPackServer(server.source, server)
    },
    { maxSubscriptions: 0 },
  )
  const running = new Set<Promise<Response>>()
  return {
    async answer(request, server) {
      // The only value that the SDK passes to the server of a request. It does not contain the key.
      const authInfo = { token: '', clientId: '', scopes: [], extra: { server } }
      const parsedBody = await readBody(request)
      // One HTTP request would count as one for limits and logs, however many messages it has.
      if (Array.isArray(parsedBody)) return refuseBatch()
      if (isList(parsedBody)) server.takeFree?.()
      const answered = handler.fetch(request, { authInfo, parsedBody })
      running.add(answered)
      const response = await answered.finally(() => running.delete(answered))
      // The SDK reports its failures and the requests that it refuses to one function, with parts of them in the message.
      if (response.status >= 500) server.onError?.(new Error('The MCP SDK failed'))
      return response
    },
    async close() {
      await Promise.allSettled(running)
    },
  }
}

/** Returns `undefined` for a body that is not JSON, which the SDK refuses. */
async function readBody(request: Request): Promise<unknown> {
  return request
    .clone()
    .json()
    .catch(() => undefined)
}

function isList(message: unknown): boolean {
  const method = typeof message === 'object' && message !== null && 'method' in message && message.method
  return typeof method === 'string' && method.endsWith('/list')
}

function refuseBatch(): Response {
  const error = { code: -32_600, message: 'Batches are not supported: send one message in each request' }
  return Response.json({ jsonrpc: '2.0', id: null, error }, { status: 400 })
}
