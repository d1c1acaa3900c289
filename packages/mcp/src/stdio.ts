import { PassThrough, type Readable, type Writable } from 'node:stream'
import {
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  parseJSONRPCMessage,
  ProtocolErrorCode,
  type RequestId,
} from '@modelcontextprotocol/server'
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { createPackServer, type PackServerOptions } from './pack-server.ts'
import type { AgentTools } from '@packs/client'

/** Larger messages are refused; arguments of tools are short. */
const MAX_MESSAGE_BYTES = 1024 * 1024
const FINISH_MS = 5000

/** Settings of {@link servePacksOverStdio}. */
export interface StdioOptions extends PackServerOptions {
  /** Receives a sentence about a message that cannot be used, or a stream that failed. */
  readonly onNotice?: ((notice: string) => void) | undefined
  /** @default those of the process */
  readonly streams?: { readonly stdin: Readable; readonly stdout: Writable } | undefined
}

/**
 * Serves packs over stdin and stdout, in the current revision of the protocol and those before it.
 * Nothing else may write to stdout. A line that is not a message is answered with an error, and
 * reading continues.
 * @returns a promise that resolves once stdin has ended and all earlier calls are answered, or
 *   after 5 seconds
 * @example
 * const docs = await openDocs('docs/')
 * await servePacksOverStdio(await docs.tools({ name: 'handbook' }), { version: '1.0.0' })
 */
export async function servePacksOverStdio(tools: AgentTools, options: StdioOptions): Promise<void> {
  const { streams: { stdin, stdout } = process, onNotice = () => undefined } = options
  // The SDK's own reader ends the connection after a long line, and its calls when stdin ends. So it reads a stream without data.
  const transport = new StdioServerTransport(new PassThrough(), stdout)
  const pending = trackRequests(transport)
  const connection = serveStdio(() => createPackServer(tools, options), {
    transport,
    onerror: ({ message }) => onNotice(message),
  })
  const { onclose } = transport
  let isClosed = false
  transport.onclose = () => {
    isClosed = true
    onclose?.()
    pending.release()
    stdin.destroy()
  }
  try {
    for await (const line of readLines(stdin)) {
      const read = readMessage(line)
      if (read === undefined) continue
      if ('message' in read) {
        pending.add(read.message)
        transport.onmessage?.(read.message)
      } else {
        onNotice(`${read.error.message}. The message was ignored.`)
        await transport.send({ jsonrpc: '2.0', ...read } as JSONRPCMessage).catch(() => undefined)
      }
    }
  } catch (error) {
    if (!isClosed) onNotice(`Reading stdin failed: ${String(error)}`)
  }
  await pending.finish()
  await connection.close()
}

/** Splits a stream into lines; `undefined` for one that is too long. */
async function* readLines(stream: Readable): AsyncGenerator<string | undefined> {
  let parts: Buffer[] = []
  let size = 0
  const add = (part: Buffer): void => {
    size += part.length
    if (size <= MAX_MESSAGE_BYTES) parts.push(part)
    else parts = []
  }
  const take = (): string | undefined => {
    const line = size > MAX_MESSAGE_BYTES ? undefined : Buffer.concat(parts).toString()
    parts = []
    size = 0
    return line
  }
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    let start = 0
    for (let end; (end = chunk.indexOf('\n', start)) >= 0; start = end + 1) {
      add(chunk.subarray(start, end))
      yield take()
    }
    add(chunk.subarray(start))
  }
  if (size > 0) yield take()
}

/** The JSON-RPC answer to a line that is not a message. */
interface Refusal {
  /** `null` if it cannot be read. */
  readonly id: RequestId | null
  readonly error: { readonly code: number; readonly message: string }
}

function readMessage(line: string | undefined): { readonly message: JSONRPCMessage } | Refusal | undefined {
  if (line === undefined)
    return refuse(null, ProtocolErrorCode.InvalidRequest, `A line has more than ${MAX_MESSAGE_BYTES} bytes`)
  if (line.trim() === '') return undefined
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return refuse(null, ProtocolErrorCode.ParseError, 'A line is not JSON')
  }
  try {
    return { message: parseJSONRPCMessage(value) }
  } catch {
    const id = (value as { readonly id?: unknown } | null)?.id
    const known = typeof id === 'string' || Number.isSafeInteger(id) ? (id as RequestId) : null
    return refuse(known, ProtocolErrorCode.InvalidRequest, 'A line is not a message of JSON-RPC 2.0')
  }
}

function refuse(id: RequestId | null, code: number, message: string): Refusal {
  return { id, error: { code, message } }
}

function trackRequests(transport: StdioServerTransport) {
  const ids = new Set<unknown>()
  let release = (): void => undefined
  const settle = (id: unknown): void => {
    ids.delete(id)
    if (ids.size === 0) release()
  }
  const send = transport.send.bind(transport)
  transport.send = async (message) => {
    try {
      await send(message)
    } finally {
      if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) settle(message.id)
    }
  }
  return {
    add(message: JSONRPCMessage): void {
      // A subscription is answered when the connection ends.
      if (isJSONRPCRequest(message) && message.method !== 'subscriptions/listen') ids.add(message.id)
      else if ('method' in message && message.method === 'notifications/cancelled')
        settle(message.params?.['requestId'])
    },
    /** Waits until all are answered, for at most {@link FINISH_MS}. */
    async finish(): Promise<void> {
      if (ids.size === 0) return
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, FINISH_MS)
        release = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    },
    release: () => release(),
  }
}
