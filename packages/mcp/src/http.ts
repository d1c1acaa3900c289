import { createMcpHandler } from '@modelcontextprotocol/server'
import { createPackServer, type PackServerOptions } from './pack-server.ts'
import type { PackSource } from './pack-source.ts'

/** What serves one request. */
export interface RequestServer extends PackServerOptions {
  /** What the request may read. */
  readonly source: PackSource
}

/** Answers requests of Streamable HTTP. */
export interface PackHandler {
  /** Answers a request. When its `signal` aborts, the call ends. */
  answer(request: Request, server: RequestServer): Promise<Response>
  /** Waits for what is being answered. Requests that come later are answered. */
  close(): Promise<void>
}

/**
 * Creates the handler of an endpoint without sessions: each request has a server of its own, in the current revision of the protocol
 * or one before it. No request leaves a stream open, because a stream would outlive its key. The caller checks keys and origins, and
 * limits the body.
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
      // The only value that the SDK hands through to the server of a request. The key stays outside.
      const authInfo = { token: '', clientId: '', scopes: [], extra: { server } }
      const answered = handler.fetch(request, { authInfo })
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
