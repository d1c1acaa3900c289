import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider'
import { decode } from '@packs/codec'
import {
  generateObject,
  generateText,
  Output,
  simulateReadableStream,
  stepCountIs,
  streamText,
  tool,
  wrapLanguageModel,
} from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { packs } from '../../src/ai-sdk/index.ts'

const rosetta = '[DECODE] ML=machine learning|Q=say "hi"\\n|§=section |MLM=end of it'
const usage: LanguageModelV4Usage = {
  inputTokens: { total: 11, noCache: 4, cacheRead: 7, cacheWrite: undefined },
  outputTokens: { total: 5, text: 5, reasoning: undefined },
}
const finishReason = { unified: 'stop', raw: 'stop' } as const
const providerMetadata = { test: { term: 'ML' } }

/** Wraps a model that answers every call with these parts. */
function answerWith(content: LanguageModelV4Content[], options: { reasoning?: boolean } = {}) {
  const doGenerate = { content, finishReason, usage, providerMetadata, warnings: [] }
  return wrapLanguageModel({
    model: new MockLanguageModelV4({ doGenerate }),
    middleware: packs({ rosetta, ...options }),
  })
}

function streamWith(chunks: LanguageModelV4StreamPart[], options: { reasoning?: boolean } = {}) {
  return streamFrom(simulateReadableStream({ chunks, initialDelayInMs: null, chunkDelayInMs: null }), options)
}

function streamFrom(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  options: { reasoning?: boolean } = {},
) {
  return wrapLanguageModel({
    model: new MockLanguageModelV4({ doStream: { stream } }),
    middleware: packs({ rosetta, ...options }),
  })
}

const finish: LanguageModelV4StreamPart = { type: 'finish', finishReason, usage, providerMetadata }
const call: LanguageModelV4CallOptions = { prompt: [] }

/** Reads what the wrapped model itself streams; an error of the stream is the last part. */
async function readParts(
  model: ReturnType<typeof streamWith>,
  options: LanguageModelV4CallOptions = call,
): Promise<LanguageModelV4StreamPart[]> {
  const parts: LanguageModelV4StreamPart[] = []
  try {
    for await (const part of (await model.doStream(options)).stream) parts.push(part)
  } catch (error) {
    parts.push({ type: 'error', error })
  }
  return parts
}

/** Joins the deltas of a block. */
function join(parts: readonly LanguageModelV4StreamPart[], type: string, id: string): string {
  return parts
    .map((part) => (part.type === type && 'delta' in part && part.id === id ? part.delta : ''))
    .join('')
}

/** Cuts a text into chunks of the given lengths, in turn. */
function cut(text: string, lengths: readonly number[]): string[] {
  const chunks: string[] = []
  for (let at = 0; at < text.length; at += chunks.at(-1)!.length)
    chunks.push(text.slice(at, at + lengths[chunks.length % lengths.length]!))
  return chunks
}

function textParts(chunks: readonly string[], id = '1'): LanguageModelV4StreamPart[] {
  return [
    { type: 'text-start', id },
    ...chunks.map((delta) => ({ type: 'text-delta', id, delta }) as const),
    { type: 'text-end', id },
  ]
}

const lengths = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1 })
const answers = fc
  .array(fc.constantFrom('ML', 'M', 'L', 'MLM', 'Q', '§', ' ', 'x', '\u0301', '\ud83d', '"', '\\', '\n'))
  .map((parts) => parts.join(''))

test('refuses an invalid header before any call', () => {
  expect(() => packs({ rosetta: 'ML=machine learning' })).toThrow(
    expect.objectContaining({ code: 'no_marker' }),
  )
})

describe('a whole answer', () => {
  test('has its text decoded, and nothing else changed', async () => {
    const source = { type: 'source', sourceType: 'url', id: 's', url: 'https://ML', title: 'ML' } as const
    const file = { type: 'file', mediaType: 'text/plain', data: { type: 'data', data: 'TUw=' } } as const
    const result = await generateText({
      model: answerWith([{ type: 'text', text: 'ML, not HTML' }, source, file]),
      prompt: 'x',
    })
    expect(result.text).toBe('machine learning, not HTML')
    expect(result.sources).toEqual([source])
    expect(result.files.map(({ base64 }) => base64)).toEqual(['TUw='])
    expect(result.usage).toMatchObject({
      inputTokens: 11,
      outputTokens: 5,
      inputTokenDetails: { cacheReadTokens: 7 },
    })
    expect(result.providerMetadata).toEqual(providerMetadata)
    expect(result.finishReason).toBe('stop')
  })

  test('has reasoning decoded only if asked', async () => {
    const content: LanguageModelV4Content[] = [
      { type: 'reasoning', text: 'ML' },
      { type: 'text', text: 'ML' },
    ]
    expect((await generateText({ model: answerWith(content), prompt: 'x' })).reasoningText).toBe('ML')
    const decoded = await generateText({ model: answerWith(content, { reasoning: true }), prompt: 'x' })
    expect(decoded.reasoningText).toBe('machine learning')
  })

  test('moves citations with their text', async () => {
    const source = { type: 'source', sourceType: 'url', id: 's', url: 'https://example.org' } as const
    const { content } = await answerWith([
      {
        type: 'text',
        text: 'ML and §5.',
        citations: [{ source, startIndex: 7, endIndex: 9, citedText: '§5' }, { source }],
      },
    ]).doGenerate(call)
    expect(content).toEqual([
      {
        type: 'text',
        text: 'machine learning and section 5.',
        citations: [{ source, startIndex: 21, endIndex: 30, citedText: '§5' }, { source }],
      },
    ])
  })

  test('fails with the error of the codec if the answer grows beyond every limit', async () => {
    const large = `[DECODE] A=${'x'.repeat(4096)}`
    const model = wrapLanguageModel({
      model: new MockLanguageModelV4({
        doGenerate: {
          content: [{ type: 'text', text: 'A '.repeat(17_000) }],
          finishReason,
          usage,
          warnings: [],
        },
      }),
      middleware: packs({ rosetta: large }),
    })
    await expect(generateText({ model, prompt: 'x', maxRetries: 0 })).rejects.toMatchObject({
      code: 'output_too_large',
    })
  })
})

describe('a tool call', () => {
  const inputSchema = z.object({ ML: z.string(), list: z.array(z.string()) })
  const input = '{"ML": "█ pay ML", "list": ["Q", "HTML"]}'
  const decodedInput = { ML: '█ pay machine learning', list: ['say "hi"\n', 'HTML'] }

  test('has its whole input decoded before the tool runs', async () => {
    const seen: unknown[] = []
    const result = await generateText({
      model: answerWith([{ type: 'tool-call', toolCallId: 'c', toolName: 'note', input }]),
      tools: { note: tool({ inputSchema, execute: (given) => void seen.push(given) }) },
      prompt: 'x',
      stopWhen: stepCountIs(1),
    })
    expect(seen).toEqual([decodedInput])
    expect(result.toolCalls.map((one) => one.input)).toEqual([decodedInput])
  })

  test.each(['{"ML": "ML"', '', 'ML', '{"a": "\\x ML"}', '[1,]'])(
    'with the invalid input %j is left as it is',
    async (invalid) => {
      const part = { type: 'tool-call', toolCallId: 'c', toolName: 'note', input: invalid } as const
      expect((await answerWith([part]).doGenerate(call)).content).toEqual([part])
    },
  )

  test('that the provider has executed is left as it was', async () => {
    const part = {
      type: 'tool-call',
      toolCallId: 'c',
      toolName: 'run',
      input: '{"a":"ML"}',
      providerExecuted: true,
    } as const
    const result = { type: 'tool-result', toolCallId: 'c', toolName: 'run', result: { a: 'ML' } } as const
    expect((await answerWith([part, result]).doGenerate(call)).content).toEqual([part, result])
    const parts: LanguageModelV4StreamPart[] = [
      { type: 'tool-input-start', id: 'c', toolName: 'run', providerExecuted: true },
      { type: 'tool-input-delta', id: 'c', delta: '{"a":"ML"}' },
      { type: 'tool-input-end', id: 'c' },
      part,
      result,
    ]
    expect(await readParts(streamWith(parts))).toEqual(parts)
  })

  test('has its streamed input decoded, for every way of cutting', async () => {
    const escaped = input.replace('█ pay ML', '█ pay \\u004d\\u004C')
    await fc.assert(
      fc.asyncProperty(lengths, fc.boolean(), async (cuts, isEscaped) => {
        const seen: unknown[] = []
        const text = isEscaped ? escaped : input
        const { fullStream } = streamText({
          model: streamWith([
            { type: 'tool-input-start', id: 'c', toolName: 'note' },
            ...cut(text, cuts).map((delta) => ({ type: 'tool-input-delta', id: 'c', delta }) as const),
            { type: 'tool-input-end', id: 'c' },
            { type: 'tool-call', toolCallId: 'c', toolName: 'note', input: text },
            finish,
          ]),
          tools: { note: tool({ inputSchema, execute: (given) => void seen.push(given) }) },
          prompt: 'x',
          stopWhen: stepCountIs(1),
        })
        let streamed = ''
        for await (const part of fullStream) streamed += part.type === 'tool-input-delta' ? part.delta : ''
        expect(streamed).toBe('{"ML": "█ pay machine learning", "list": ["say \\"hi\\"\\n", "HTML"]}')
        expect(seen).toEqual([decodedInput])
      }),
      { numRuns: 40 },
    )
  })

  test('has input that is no JSON decoded as text, if the stream says so', async () => {
    const parts = await readParts(
      streamWith([
        { type: 'tool-input-start', id: 'c', toolName: 'patch', inputEncoding: 'text' },
        { type: 'tool-input-delta', id: 'c', delta: '"Q"\nM' },
        { type: 'tool-input-delta', id: 'c', delta: 'L' },
        { type: 'tool-call', toolCallId: 'c', toolName: 'patch', input: '"\\"Q\\"\\nML"' },
      ]),
    )
    expect(join(parts, 'tool-input-delta', 'c')).toBe('"say "hi"\n"\nmachine learning')
    expect(parts.at(-1)).toMatchObject({ input: '"\\"say \\"hi\\"\\n\\"\\nmachine learning"' })
  })
})

describe('a streamed text', () => {
  test('is what a whole text is, for every way of cutting, also with half terms only', async () => {
    await fc.assert(
      fc.asyncProperty(answers, lengths, async (answer, cuts) => {
        const parts = await readParts(streamWith([...textParts(cut(answer, cuts)), finish]))
        expect(join(parts, 'text-delta', '1')).toBe(decode(answer, rosetta))
        expect(parts.at(-1)).toBe(finish)
        expect(parts.at(-2)).toEqual({ type: 'text-end', id: '1' })
      }),
    )
  })

  test('reaches streamText with usage and metadata', async () => {
    const result = streamText({
      model: streamWith([...textParts(['Use M', 'L, not HT', 'ML']), finish]),
      prompt: 'x',
    })
    const deltas: string[] = []
    for await (const delta of result.textStream) deltas.push(delta)
    expect(deltas).toEqual(['Use ', 'machine learning, not HT', 'ML'])
    expect(await result.usage).toMatchObject({ inputTokens: 11, outputTokens: 5 })
    expect(await result.providerMetadata).toEqual(providerMetadata)
  })

  test('is decoded by itself where several alternate', async () => {
    const parts = await readParts(
      streamWith(
        [
          { type: 'text-start', id: '1' },
          { type: 'text-start', id: '2' },
          { type: 'reasoning-start', id: '1' },
          { type: 'text-delta', id: '1', delta: 'M' },
          { type: 'text-delta', id: '2', delta: 'HTM' },
          { type: 'reasoning-delta', id: '1', delta: 'M' },
          { type: 'text-delta', id: '1', delta: 'L' },
          { type: 'text-delta', id: '2', delta: 'L' },
          { type: 'reasoning-delta', id: '1', delta: 'L' },
          { type: 'text-end', id: '2' },
          { type: 'reasoning-end', id: '1' },
          { type: 'text-end', id: '1' },
        ],
        { reasoning: true },
      ),
    )
    expect(join(parts, 'text-delta', '1')).toBe('machine learning')
    expect(join(parts, 'text-delta', '2')).toBe('HTML')
    expect(join(parts, 'reasoning-delta', '1')).toBe('machine learning')
  })

  test('leaves reasoning, sources, files and metadata as they are', async () => {
    const parts: LanguageModelV4StreamPart[] = [
      { type: 'stream-start', warnings: [] },
      { type: 'response-metadata', id: 'ML' },
      { type: 'reasoning-start', id: 'r' },
      { type: 'reasoning-delta', id: 'r', delta: 'M' },
      { type: 'reasoning-delta', id: 'r', delta: 'L' },
      { type: 'reasoning-end', id: 'r', providerMetadata },
      { type: 'source', sourceType: 'url', id: 's', url: 'https://ML', title: 'ML' },
      { type: 'file', mediaType: 'text/plain', data: { type: 'data', data: 'ML' } },
      { type: 'raw', rawValue: 'ML' },
      { type: 'text-delta', id: '1', delta: '', providerMetadata },
      finish,
    ]
    expect(await readParts(streamWith(parts))).toEqual(parts)
  })

  test('keeps the metadata of a delta whose text is held back, and moves citations', async () => {
    const source = { type: 'source', sourceType: 'url', id: 's', url: 'https://example.org' } as const
    const parts = await readParts(
      streamWith([
        { type: 'text-delta', id: '1', delta: 'M', providerMetadata },
        { type: 'text-delta', id: '1', delta: 'L' },
        { type: 'text-end', id: '1', citations: [{ source, startIndex: 0, endIndex: 2 }] },
      ]),
    )
    expect(parts).toEqual([
      { type: 'text-delta', id: '1', delta: '', providerMetadata },
      { type: 'text-delta', id: '1', delta: 'machine learning' },
      { type: 'text-end', id: '1', citations: [{ source, startIndex: 0, endIndex: 16 }] },
    ])
  })

  test.each<[string, LanguageModelV4StreamPart[]]>([
    ['ends', []],
    ['finishes', [finish]],
    ['reports an error', [{ type: 'error', error: new Error('away') }]],
  ])('is sent to its end if the stream %s without text-end', async (_, rest) => {
    const parts = await readParts(streamWith([{ type: 'text-delta', id: '1', delta: 'x ML' }, ...rest]))
    expect(parts).toEqual([
      { type: 'text-delta', id: '1', delta: 'x ' },
      { type: 'text-delta', id: '1', delta: 'machine learning' },
      ...rest,
    ])
  })

  test('is sent to its end if the stream fails, and then the error', async () => {
    let pulls = 0
    const failing = new ReadableStream<LanguageModelV4StreamPart>(
      {
        pull(controller) {
          if (pulls++ > 0) controller.error(new Error('connection lost'))
          else controller.enqueue({ type: 'text-delta', id: '1', delta: 'x ML' })
        },
      },
      { highWaterMark: 0 },
    )
    expect(await readParts(streamFrom(failing))).toEqual([
      { type: 'text-delta', id: '1', delta: 'x ' },
      { type: 'text-delta', id: '1', delta: 'machine learning' },
      { type: 'error', error: new Error('connection lost') },
    ])
  })

  test('fails with the error of the codec, and cancels the stream of the model', async () => {
    let reason: unknown
    const endless = new ReadableStream<LanguageModelV4StreamPart>({
      pull: (controller) => controller.enqueue({ type: 'text-delta', id: '1', delta: 'A '.repeat(1000) }),
      cancel: (given) => void (reason = given),
    })
    const model = wrapLanguageModel({
      model: new MockLanguageModelV4({ doStream: { stream: endless } }),
      middleware: packs({ rosetta: `[DECODE] A=${'x'.repeat(4096)}` }),
    })
    expect((await readParts(model)).at(-1)).toMatchObject({ error: { code: 'output_too_large' } })
    expect(reason).toMatchObject({ code: 'output_too_large' })
  })

  test('ends when its reader aborts', async () => {
    const controller = new AbortController()
    const cancelled = Promise.withResolvers<unknown>()
    const endless = new ReadableStream<LanguageModelV4StreamPart>({
      pull: (target) => target.enqueue({ type: 'text-delta', id: '1', delta: 'ML ' }),
      cancel: cancelled.resolve,
    })
    const { stream } = await streamFrom(endless).doStream({ ...call, abortSignal: controller.signal })
    const reader = stream.getReader()
    expect((await reader.read()).value).toMatchObject({ delta: 'machine learning ' })
    await reader.cancel('enough')
    expect(await cancelled.promise).toBe('enough')
  })

  test('of streamText ends when its signal aborts', async () => {
    const controller = new AbortController()
    const stream = new ReadableStream<LanguageModelV4StreamPart>({
      start(target) {
        target.enqueue({ type: 'text-start', id: '1' })
        target.enqueue({ type: 'text-delta', id: '1', delta: 'ML M' })
        controller.signal.addEventListener('abort', () => target.error(controller.signal.reason))
      },
    })
    const { fullStream } = streamText({
      model: streamFrom(stream),
      prompt: 'x',
      abortSignal: controller.signal,
    })
    const types: string[] = []
    for await (const { type } of fullStream) {
      types.push(type)
      if (type === 'text-delta') controller.abort()
    }
    expect(types.slice(types.indexOf('text-start'))).toEqual(['text-start', 'text-delta', 'abort'])
  })
})

describe('structured output', () => {
  const schema = z.object({ title: z.string(), ML: z.array(z.string()) })
  const json = '{"title": "Q", "ML": ["\\u004dL", "HTML"]}'
  const expected = { title: 'say "hi"\n', ML: ['machine learning', 'HTML'] }

  test('of generateObject is valid JSON after decoding', async () => {
    const { object } = await generateObject({
      model: answerWith([{ type: 'text', text: json }]),
      schema,
      prompt: 'x',
    })
    expect(object).toEqual(expected)
  })

  test('of Output.object is decoded, in one text or several', async () => {
    const halves = [json.slice(0, 12), json.slice(12)].map((text) => ({ type: 'text', text }) as const)
    for (const content of [[{ type: 'text', text: json } as const], halves]) {
      const { output } = await generateText({
        model: answerWith(content),
        output: Output.object({ schema }),
        prompt: 'x',
      })
      expect(output).toEqual(expected)
    }
  })

  test('that a provider names by itself is decoded', async () => {
    const model = wrapLanguageModel({
      model: new MockLanguageModelV4({
        doGenerate: {
          content: [{ type: 'text', text: `Draft: ${json}` }],
          structuredOutputText: json,
          finishReason,
          usage,
          warnings: [],
        },
      }),
      middleware: packs({ rosetta }),
    })
    const { output } = await generateText({ model, output: Output.object({ schema }), prompt: 'x' })
    expect(output).toEqual(expected)
  })

  test('is decoded in a stream, for every way of cutting', async () => {
    await fc.assert(
      fc.asyncProperty(lengths, async (cuts) => {
        const { partialOutputStream, output } = streamText({
          model: streamWith([...textParts(cut(json, cuts)), finish]),
          output: Output.object({ schema }),
          prompt: 'x',
        })
        const partials: unknown[] = []
        for await (const partial of partialOutputStream) partials.push(partial)
        expect(partials.at(-1)).toEqual(expected)
        expect(await output).toEqual(expected)
      }),
      { numRuns: 40 },
    )
  })

  test('that is cut off keeps what it has', async () => {
    const options: LanguageModelV4CallOptions = { prompt: [], responseFormat: { type: 'json' } }
    const parts = await readParts(
      streamWith([{ type: 'text-delta', id: '1', delta: '{"a":"Q M' }, finish]),
      options,
    )
    expect(join(parts, 'text-delta', '1')).toBe('{"a":"say \\"hi\\"\\n M')
  })
})
