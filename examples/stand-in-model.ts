// Replaces a model, so that the agents run without one: it answers with a line of the prompt, in plain words.
//
//     npx node examples/stand-in-model.ts
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { decode, parseRosetta, serializeRosetta } from '@packs/codec'
import { loadTokenizer } from '@packs/codec/compress'

/** A server that answers like a model, from nothing but the prompt. */
export interface StandInModel {
  readonly url: string
  /** The bodies it received. */
  readonly requests: readonly ModelRequest[]
  close(): Promise<void>
}

interface Block {
  readonly type: string
  readonly text?: string
  readonly content?: string
  readonly cache_control?: unknown
}

interface Message {
  readonly role: string
  readonly content?: string | readonly Block[] | null
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly name: string } }[]
  readonly tool_call_id?: string
}

/** A request of OpenAI's chat completions, or of Anthropic's messages. */
interface ModelRequest {
  readonly model: string
  readonly messages: readonly Message[]
  readonly system?: string | readonly Block[]
  readonly stream?: boolean
  readonly tools?: readonly {
    readonly function: {
      readonly name: string
      readonly parameters: { readonly properties?: Readonly<Record<string, unknown>> }
    }
  }[]
}

/** What the model says: a text, or a call of a tool. */
type Reply = { readonly content: string } | { readonly tool: string; readonly input: string }

/**
 * Starts a stand-in for a model, with the addresses `/v1/chat/completions` (OpenAI) and `/v1/messages` (Anthropic).
 *
 * @param calls tools that it calls first, with the input of each
 */
export async function startStandInModel(
  calls: readonly (readonly [tool: string, input: object])[] = [],
): Promise<StandInModel> {
  const tokenizer = await loadTokenizer('o200k_base')
  const context: Context = {
    calls,
    countTokens: (prompt) => tokenizer.countTokens(prompt),
    cached: new Set(),
  }
  const requests: ModelRequest[] = []
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      requests.push(body)
      if (request.url === '/v1/chat/completions') answerOpenAi(context, body, response)
      else if (request.url === '/v1/messages') answerAnthropic(context, body, response)
      else response.writeHead(404).end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** What the answers of one stand-in share. */
interface Context {
  readonly calls: readonly (readonly [tool: string, input: object])[]
  readonly countTokens: (prompt: string) => number
  /** Prefixes that an earlier request marked to be cached. */
  readonly cached: Set<string>
}

function answerOpenAi({ calls, countTokens }: Context, body: ModelRequest, response: ServerResponse): void {
  const reply = createReply(body, calls)
  const said = 'content' in reply ? reply.content : reply.input
  const usage = {
    prompt_tokens: countTokens(joinPrompt(body)),
    completion_tokens: countTokens(said),
  }
  const total = { ...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens }
  // Frameworks take messages with the same id for one.
  const base = { id: `chatcmpl-${body.messages.length}`, created: 1, model: body.model }
  const finish_reason = 'content' in reply ? 'stop' : 'tool_calls'
  const call = (input: string): unknown[] =>
    'tool' in reply
      ? [
          {
            index: 0,
            id: `call-${body.messages.length}`,
            type: 'function',
            function: { name: reply.tool, arguments: input },
          },
        ]
      : []
  if (!body.stream) {
    const message =
      'content' in reply
        ? { role: 'assistant', content: reply.content }
        : { role: 'assistant', content: null, tool_calls: call(reply.input) }
    return send(response, {
      ...base,
      object: 'chat.completion',
      choices: [{ index: 0, message, finish_reason }],
      usage: total,
    })
  }
  const deltas = [
    'content' in reply ? { role: 'assistant', content: '' } : { role: 'assistant', tool_calls: call('') },
    ...cutText(said).map((piece) =>
      'content' in reply
        ? { content: piece }
        : { tool_calls: [{ index: 0, function: { arguments: piece } }] },
    ),
  ]
  const chunk = (choice: object, more: object = {}): string =>
    `data: ${JSON.stringify({ ...base, object: 'chat.completion.chunk', choices: [{ index: 0, finish_reason: null, ...choice }], ...more })}\n\n`
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const delta of deltas) response.write(chunk({ delta }))
  response.end(`${chunk({ delta: {}, finish_reason }, { usage: total })}data: [DONE]\n\n`)
}

function answerAnthropic(
  { countTokens, cached }: Context,
  body: ModelRequest,
  response: ServerResponse,
): void {
  const reply = createReply(body)
  const content = 'content' in reply ? reply.content : ''
  const blocks = [body.system, ...body.messages.map((message) => message.content)].flatMap(listBlocks)
  const prefixes = blocks.map((_, index) => readText(blocks.slice(0, index + 1)))
  const marked = blocks.findLastIndex(({ cache_control }) => cache_control)
  const written = prefixes[marked] ?? ''
  const read = prefixes.slice(0, marked + 1).findLast((prefix) => cached.has(prefix)) ?? ''
  cached.add(written)
  const [all, kept, noted] = [readText(blocks), read, written].map(countTokens) as [number, number, number]
  send(response, {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: body.model,
    content: [{ type: 'text', text: content }],
    stop_reason: 'end_turn',
    usage: {
      input_tokens: all - noted,
      cache_creation_input_tokens: noted - kept,
      cache_read_input_tokens: kept,
      output_tokens: countTokens(content),
    },
  })
}

async function readBody(request: IncomingMessage): Promise<ModelRequest> {
  return JSON.parse(await text(request)) as ModelRequest
}

function send(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

function listBlocks(content: Message['content']): readonly Block[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? [])
}

function readText(content: Message['content']): string {
  return listBlocks(content)
    .map((block) => block.text ?? block.content ?? '')
    .join('')
}

function joinPrompt({ system, messages }: ModelRequest): string {
  return [readText(system), ...messages.map(({ content }) => readText(content))].join('\n')
}

/**
 * Searches and reads with the tools of packs if it has them, notes its answer with another tool, and answers with the line of the
 * prompt that shares the most words with the question.
 */
function createReply(request: ModelRequest, calls: Context['calls'] = []): Reply {
  const { messages, tools = [] } = request
  const question = readText(listBlocks(messages.findLast(({ role }) => role === 'user')?.content).slice(-1))
  const names = tools.map((one) => one.function.name)
  const called = messages.flatMap(({ tool_calls = [] }) => tool_calls.map((one) => one.function.name))
  const last = readText(messages.findLast(({ role }) => role === 'tool')?.content)
  const call = (tool: string, input: object): Reply => ({ tool, input: JSON.stringify(input) })
  const next = calls[called.length]
  if (next !== undefined) return call(...next)
  if (names.includes('search_packs') && !called.includes('search_packs'))
    return call('search_packs', { query: question })
  const [, pack, section] = /^1\. (\S+) section (\S+)/.exec(last) ?? []
  if (pack !== undefined && !called.includes('read_pack')) return call('read_pack', { pack, section })
  const line = findLine(
    // The last block of what the user says is a question; others may be packs.
    joinPrompt({
      ...request,
      messages: messages
        .filter(({ role }) => role !== 'assistant')
        .map(({ role, content }) => ({
          role,
          content: listBlocks(content).slice(0, role === 'user' ? -1 : undefined),
        })),
    }),
    question,
  )
  const other = tools.find((one) => !['search_packs', 'read_pack', ...called].includes(one.function.name))
  const [argument] = Object.keys(other?.function.parameters.properties ?? {})
  return other && argument ? call(other.function.name, { [argument]: line }) : { content: line }
}

/** Finds the line that answers best. It reads terms as their expansions and answers in plain words, as models do. */
function findLine(prompt: string, question: string): string {
  const asked = question.toLowerCase().match(/\p{L}{4,}/gu) ?? []
  const lines = prompt.split('\n')
  const headers = lines.filter((line) => line.startsWith('[DECODE] '))
  const rosetta = serializeRosetta({
    entries: headers.flatMap((header) => [...parseRosetta(header).entries]),
  })
  const score = (line: string): number => {
    const read = line.toLowerCase()
    return asked.filter((word) => read.includes(word)).length
  }
  const candidates = lines
    .filter((line) => line.length > 20 && !/^(?:\[DECODE\]|Read every|Documents are|<|\d+\. )/.test(line))
    .map((line) => decode(line, rosetta))
  return candidates.toSorted((a, b) => score(b) - score(a))[0] ?? ''
}

/** Cuts a text after every 1, 2, 3 and 4 units in turn: inside words, terms and surrogate pairs. */
function cutText(source: string): string[] {
  const pieces: string[] = []
  for (let at = 0; at < source.length; at += pieces.at(-1)!.length)
    pieces.push(source.slice(at, at + 1 + (pieces.length % 4)))
  return pieces
}

if (import.meta.main) {
  const { url } = await startStandInModel()
  console.log(`export MODEL_URL=${url}`)
}
