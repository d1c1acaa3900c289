import { openDocs } from '@packs/client'
import {
  generateText,
  type LanguageModelMiddleware,
  Output,
  simulateReadableStream,
  stepCountIs,
  streamText,
  tool,
  type ToolSet,
  wrapLanguageModel,
} from 'ai-6'
import { MockLanguageModelV3 } from 'ai-6/test'
import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { collect } from '../../client/test/collect.ts'
import { startCatalog } from '../../client/test/start-catalog.ts'

// What is tested uses AI SDK 6 as `ai`. Its types are those of 7 here; the tests of the tarballs compile a program with each.
vi.mock('ai', () => import('ai-6'))
const { packs, packTools } = await import('../src/index.ts')

type Result = Awaited<ReturnType<MockLanguageModelV3['doGenerate']>>
type StreamPart =
  Awaited<ReturnType<MockLanguageModelV3['doStream']>>['stream'] extends ReadableStream<infer Part>
    ? Part
    : never

const middleware = packs({
  rosetta: '[DECODE] 水=machine learning|火= say "hi"',
}) as unknown as LanguageModelMiddleware
const usage = {
  inputTokens: { total: 11, noCache: 4, cacheRead: 7, cacheWrite: undefined },
  outputTokens: { total: 5, text: 5, reasoning: undefined },
}

function step(...content: Result['content']): Result {
  const unified = content[0]!.type === 'text' ? 'stop' : 'tool-calls'
  return { content, finishReason: { unified, raw: undefined }, usage, warnings: [] }
}

function callTool(toolName: string, input: unknown): Result {
  return step({ type: 'tool-call', toolCallId: toolName, toolName, input: JSON.stringify(input) })
}

function answerWith(...doGenerate: Result[]) {
  return wrapLanguageModel({ model: new MockLanguageModelV3({ doGenerate }), middleware })
}

function streamWith(...chunks: StreamPart[]) {
  const stream = simulateReadableStream({ chunks, initialDelayInMs: null, chunkDelayInMs: null })
  return wrapLanguageModel({ model: new MockLanguageModelV3({ doStream: { stream } }), middleware })
}

const finish: StreamPart = { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage }
const note = (seen: unknown[]) =>
  tool({ inputSchema: z.object({ text: z.string() }), execute: (given) => void seen.push(given) })
const schema = z.object({ title: z.string() })

describe('the middleware', () => {
  test('expands terms of a whole text, and leaves files and usage as they are', async () => {
    const file = { type: 'file', mediaType: 'text/plain', data: 'YSDmsLQ=' } as const
    const result = await generateText({
      model: answerWith(step({ type: 'text', text: 'Use 水, for €5' }, file)),
      prompt: 'x',
    })
    expect(result.text).toBe('Use machine learning, for €5')
    expect(result.files.map(({ base64 }) => base64)).toEqual(['YSDmsLQ='])
    expect(result.usage).toMatchObject({ inputTokens: 11, outputTokens: 5 })
  })

  test('expands terms of a streamed text', async () => {
    const { textStream, usage: total } = streamText({
      model: streamWith(
        { type: 'text-start', id: '1' },
        { type: 'text-delta', id: '1', delta: 'Use 水' },
        { type: 'text-delta', id: '1', delta: ', not M' },
        { type: 'text-end', id: '1' },
        finish,
      ),
      prompt: 'x',
    })
    expect(await collect(textStream)).toEqual(['Use ', 'machine learning, not M'])
    expect(await total).toMatchObject({ inputTokens: 11, outputTokens: 5 })
  })

  test('expands terms in the input of a tool, whole and streamed', async () => {
    const seen: unknown[] = []
    const input = '{"text":"I 火"}'
    const call = { type: 'tool-call', toolCallId: 'c', toolName: 'note', input } as const
    await generateText({
      model: answerWith(callTool('note', { text: 'I 火' })),
      tools: { note: note(seen) },
      prompt: 'x',
    })
    const { fullStream } = streamText({
      model: streamWith(
        { type: 'tool-input-start', id: 'c', toolName: 'note' },
        { type: 'tool-input-delta', id: 'c', delta: input.slice(0, 11) },
        { type: 'tool-input-delta', id: 'c', delta: input.slice(11) },
        { type: 'tool-input-end', id: 'c' },
        call,
        finish,
      ),
      tools: { note: note(seen) },
      prompt: 'x',
    })
    await collect(fullStream)
    expect(seen).toEqual([{ text: 'I say "hi"' }, { text: 'I say "hi"' }])
  })

  test('expands terms in structured output, whole and streamed', async () => {
    const output = Output.object({ schema })
    const model = answerWith(step({ type: 'text', text: '{"title":"I 火"}' }))
    expect((await generateText({ model, output, prompt: 'x' })).output).toEqual({ title: 'I say "hi"' })
    const streamed = streamText({
      model: streamWith(
        { type: 'text-start', id: '1' },
        { type: 'text-delta', id: '1', delta: '{"title":"I 火' },
        { type: 'text-delta', id: '1', delta: '"}' },
        { type: 'text-end', id: '1' },
        finish,
      ),
      output,
      prompt: 'x',
    })
    expect((await collect(streamed.partialOutputStream)).at(-1)).toEqual({ title: 'I say "hi"' })
  })
})

describe('the tools', async () => {
  const api = await startCatalog()

  test('search and read, and say what is wrong with their arguments', async () => {
    const docs = await openDocs({ url: `http://127.0.0.1:${api.port}`, key: api.pro.key })
    const model = new MockLanguageModelV3({
      doGenerate: [
        callTool('search_packs', { query: 'rotate a client certificate' }),
        callTool('read_pack', { pack: 'tls-certificates', section: 'rotation' }),
        callTool('search_packs', { query: 'x'.repeat(401) }),
        step({ type: 'text', text: 'Thirty days before.' }),
      ],
    })
    const tools = (await packTools(docs)) as unknown as ToolSet
    const result = await generateText({ model, tools, prompt: 'When?', stopWhen: stepCountIs(5) })
    expect(result.text).toBe('Thirty days before.')
    expect(result.toolResults).toEqual([])
    const call = model.doGenerateCalls[3]!
    expect(call.tools).toMatchObject([
      { name: 'search_packs', inputSchema: { required: ['query'], additionalProperties: false } },
      { name: 'read_pack', inputSchema: { properties: { max_tokens: { default: 8000 } } } },
    ])
    const seen = call.prompt.flatMap((message) =>
      message.role === 'tool'
        ? message.content.map((part) => part.type === 'tool-result' && part.output)
        : [],
    )
    expect(seen).toMatchObject([
      { type: 'text', value: expect.stringContaining('## Rotation\n\nRotate a client certificate') },
      { type: 'text', value: expect.stringContaining('### Time\n\nThirty days before.') },
      { type: 'error-text', value: expect.stringContaining('query must have at most 400 characters.') },
    ])
  })
})
