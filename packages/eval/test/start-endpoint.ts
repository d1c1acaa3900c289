import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** A request as an OpenAI-compatible endpoint gets it. */
export interface ChatRequest {
  readonly model: string
  readonly system: string | undefined
  readonly user: string
  readonly headers: IncomingMessage['headers']
}

/** Answers a request with a text, or writes the response itself. */
export type Responder = (
  request: ChatRequest,
  response: ServerResponse,
  number: number,
) => string | undefined | void

export interface Endpoint {
  readonly url: string
  readonly requests: readonly ChatRequest[]
  readonly close: () => Promise<void>
}

/** Starts an endpoint on this machine, which ends with the test. */
export async function startEndpoint(respond: Responder): Promise<Endpoint> {
  const requests: ChatRequest[] = []
  const server = createServer((request, response) => {
    void readRequest(request).then((chat) => {
      requests.push(chat)
      const text = respond(chat, response, requests.length)
      if (text !== undefined) sendAnswer(response, text)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = async (): Promise<void> => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  onTestFinished(close)
  return { url: `http://127.0.0.1:${port}/v1`, requests, close }
}

async function readRequest(request: IncomingMessage): Promise<ChatRequest> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = JSON.parse(Buffer.concat(chunks).toString()) as {
    readonly model: string
    readonly messages: readonly { readonly role: string; readonly content: string }[]
  }
  const find = (role: string): string | undefined => body.messages.find((one) => one.role === role)?.content
  return { model: body.model, system: find('system'), user: find('user') ?? '', headers: request.headers }
}

/** Sends the response of a chat completion. */
export function sendAnswer(response: ServerResponse, text: string, others: object = {}): undefined {
  const body = {
    id: 'one',
    object: 'chat.completion',
    created: 1,
    model: 'stand-in-2026',
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
    usage: {
      prompt_tokens: 100,
      completion_tokens: 10,
      total_tokens: 110,
      prompt_tokens_details: { cached_tokens: 60 },
      completion_tokens_details: { reasoning_tokens: 4 },
    },
    ...others,
  }
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
