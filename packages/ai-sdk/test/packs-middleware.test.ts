import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider'
import { decodeAnswer } from '@packs/codec'
import {
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
import { packs, type PacksOptions } from '../src/index.ts'

const rosetta =
  '[DECODE] 水=machine learning|火= say "hi"\\n\\\\o/ |\u{20000}=rare|ML=markup language|§=section |€=consignments|~= The'
const usage: LanguageModelV4Usage = {
  inputTokens: { total: 11, noCache: 4, cacheRead: 7, cacheWrite: undefined },
  outputTokens: { total: 5, text: 5, reasoning: undefined },
}
const finishReason = { unified: 'stop', raw: 'stop' } as const
const providerMetadata = { test: { term: 'a 水' } }

/** Wraps a model that answers every call with these parts. */
function answerWith(content: LanguageModelV4Content[], options: Partial<PacksOptions> = {}) {
  const doGenerate = { content, finishReason, usage, providerMetadata, warnings: [] }
  return wrapLanguageModel({
    model: new MockLanguageModelV4({ doGenerate }),
    middleware: packs({ rosetta, ...options }),
  })
}

function streamWith(chunks: LanguageModelV4StreamPart[], options: Partial<PacksOptions> = {}) {
  return streamFrom(simulateReadableStream({ chunks, initialDelayInMs: null, chunkDelayInMs: null }), options)
}

function streamFrom(stream: ReadableStream<LanguageModelV4StreamPart>, options: Partial<PacksOptions> = {}) {
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
  .array(
    fc.constantFrom(
      '水',
      '火',
      '\u{20000}',
      '漢',
      ' ',
      'x ',
      '€',
      '\u0301',
      '\ud83d',
      '\ud840',
      '"',
      '\\',
      '\n',
    ),
  )
  .map((parts) => `a${parts.join('')}`)

test('refuses an invalid header before any call', () => {
  expect(() => packs({ rosetta: 'ML=machine learning' })).toThrow(
    expect.objectContaining({ code: 'no_marker' }),
  )
})

describe('a whole answer', () => {
  test('has certain terms in its text expanded, and nothing else changed', async () => {
    const source = { type: 'source', sourceType: 'url', id: 's', url: 'https://a水', title: 'a 水' } as const
    const file = { type: 'file', mediaType: 'text/plain', data: { type: 'data', data: 'YSDmsLQ=' } } as const
    const result = await generateText({
      model: answerWith([{ type: 'text', text: 'Use 水, not ML' }, source, file]),
      prompt: 'x',
    })
    expect(result.text).toBe('Use machine learning, not ML')
    expect(result.sources).toEqual([source])
    expect(result.files.map(({ base64 }) => base64)).toEqual(['YSDmsLQ='])
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
      { type: 'reasoning', text: 'a 水' },
      { type: 'text', text: 'a 水' },
    ]
    expect((await generateText({ model: answerWith(content), prompt: 'x' })).reasoningText).toBe('a 水')
    const decoded = await generateText({ model: answerWith(content, { reasoning: true }), prompt: 'x' })
    expect(decoded.reasoningText).toBe('a machine learning')
  })

  test('moves citations with their text', async () => {
    const source = { type: 'source', sourceType: 'url', id: 's', url: 'https://example.org' } as const
    const { content } = await answerWith([
      {
        type: 'text',
        text: 'On 水 and §5.',
        citations: [
          { source, startIndex: 9, endIndex: 11, citedText: '§5' },
          { source, endIndex: 3 },
          { source },
        ],
      },
    ]).doGenerate(call)
    expect(content).toEqual([
      {
        type: 'text',
        text: 'On machine learning and §5.',
        citations: [
          { source, startIndex: 24, endIndex: 26, citedText: '§5' },
          { source, endIndex: 3 },
          { source },
        ],
      },
    ])
  })
})

describe('a tool call', () => {
  const inputSchema = z.object({ 水: z.string(), list: z.array(z.string()) })
  const input = '{"水": "█ pay 水", "list": ["I 火", "火", "ML §5"]}'
  const decodedInput = { 水: '█ pay machine learning', list: ['I say "hi"\n\\o/', '火', 'ML §5'] }

  test('without a certain term comes out as it is, whole and streamed', async () => {
    const command =
      '{"command":"cp ~/certs/chain.pem /srv → ML","sum":"€1,190","n":1.50,"big":12345678901234567890}'
    const part = { type: 'tool-call', toolCallId: 'c', toolName: 'run', input: command } as const
    expect((await answerWith([part]).doGenerate(call)).content).toEqual([part])
    const parts: LanguageModelV4StreamPart[] = [
      { type: 'tool-input-start', id: 'c', toolName: 'run' },
      { type: 'tool-input-delta', id: 'c', delta: command },
      { type: 'tool-input-end', id: 'c' },
      part,
    ]
    expect(await readParts(streamWith(parts))).toEqual(parts)
  })

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

  test.each(['{"a": "a 水"', '', 'a 水', '{"a": "\\x 水"}', '["a 水",]'])(
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
      input: '{"a":"a 水"}',
      providerExecuted: true,
    } as const
    const result = { type: 'tool-result', toolCallId: 'c', toolName: 'run', result: { a: 'a 水' } } as const
    expect((await answerWith([part, result]).doGenerate(call)).content).toEqual([part, result])
    const parts: LanguageModelV4StreamPart[] = [
      { type: 'tool-input-start', id: 'c', toolName: 'run', providerExecuted: true },
      { type: 'tool-input-delta', id: 'c', delta: '{"a":"a 水"}' },
      { type: 'tool-input-end', id: 'c' },
      part,
      result,
    ]
    expect(await readParts(streamWith(parts))).toEqual(parts)
  })

  test('has its streamed input decoded once it is complete', async () => {
    const escaped = input.replace('█ pay 水', '█ pay \\u6C34')
    for (const text of [input, escaped]) {
      const seen: unknown[] = []
      const { fullStream } = streamText({
        model: streamWith([
          { type: 'tool-input-start', id: 'c', toolName: 'note' },
          ...cut(text, [3]).map((delta) => ({ type: 'tool-input-delta', id: 'c', delta }) as const),
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
      expect(streamed).toBe(text)
      expect(seen).toEqual([decodedInput])
    }
  })

  test('that is a text is decoded as one string', async () => {
    const input = JSON.stringify('a "火"\n水.')
    const part = { type: 'tool-call', toolCallId: 'c', toolName: 'patch', input } as const
    expect((await answerWith([part]).doGenerate(call)).content).toEqual([
      { ...part, input: JSON.stringify('a "say "hi"\n\\o/"\nmachine learning.') },
    ])
  })
})

describe('a streamed text', () => {
  test('is what a whole text is, for every way of cutting', async () => {
    await fc.assert(
      fc.asyncProperty(answers, lengths, async (answer, cuts) => {
        const parts = await readParts(streamWith([...textParts(cut(answer, cuts)), finish]))
        expect(join(parts, 'text-delta', '1')).toBe(decodeAnswer(answer, rosetta))
        expect(parts.at(-1)).toBe(finish)
        expect(parts.at(-2)).toEqual({ type: 'text-end', id: '1' })
      }),
    )
  })

  test('reaches streamText with usage and metadata', async () => {
    const result = streamText({
      model: streamWith([...textParts(['Use 水', ', not M', 'L']), finish]),
      prompt: 'x',
    })
    const deltas: string[] = []
    for await (const delta of result.textStream) deltas.push(delta)
    expect(deltas).toEqual(['Use ', 'machine learning, not M', 'L'])
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
          { type: 'text-delta', id: '1', delta: 'a 水' },
          { type: 'text-delta', id: '2', delta: 'b 水' },
          { type: 'reasoning-delta', id: '1', delta: 'c 水' },
          { type: 'text-delta', id: '1', delta: '.' },
          { type: 'text-delta', id: '2', delta: '火' },
          { type: 'reasoning-delta', id: '1', delta: '!' },
          { type: 'text-end', id: '2' },
          { type: 'reasoning-end', id: '1' },
          { type: 'text-end', id: '1' },
        ],
        { reasoning: true },
      ),
    )
    expect(join(parts, 'text-delta', '1')).toBe('a machine learning.')
    expect(join(parts, 'text-delta', '2')).toBe('b 水火')
    expect(join(parts, 'reasoning-delta', '1')).toBe('c machine learning!')
  })

  test('leaves reasoning, sources, files and metadata as they are', async () => {
    const parts: LanguageModelV4StreamPart[] = [
      { type: 'stream-start', warnings: [] },
      { type: 'response-metadata', id: 'a 水' },
      { type: 'reasoning-start', id: 'r' },
      { type: 'reasoning-delta', id: 'r', delta: 'a 水' },
      { type: 'reasoning-delta', id: 'r', delta: '.' },
      { type: 'reasoning-end', id: 'r', providerMetadata },
      { type: 'source', sourceType: 'url', id: 's', url: 'https://a水', title: 'a 水' },
      { type: 'file', mediaType: 'text/plain', data: { type: 'data', data: 'a 水' } },
      { type: 'raw', rawValue: 'a 水' },
      { type: 'text-delta', id: '1', delta: '', providerMetadata },
      finish,
    ]
    expect(await readParts(streamWith(parts))).toEqual(parts)
  })

  test('keeps the metadata of a delta whose text is held back, and moves citations', async () => {
    const source = { type: 'source', sourceType: 'url', id: 's', url: 'https://example.org' } as const
    const parts = await readParts(
      streamWith([
        { type: 'text-delta', id: '1', delta: 'a' },
        { type: 'text-delta', id: '1', delta: '水', providerMetadata },
        { type: 'text-delta', id: '1', delta: '.' },
        { type: 'text-end', id: '1', citations: [{ source, startIndex: 1, endIndex: 3 }] },
      ]),
    )
    expect(parts).toEqual([
      { type: 'text-delta', id: '1', delta: 'a' },
      { type: 'text-delta', id: '1', delta: '', providerMetadata },
      { type: 'text-delta', id: '1', delta: 'machine learning.' },
      { type: 'text-end', id: '1', citations: [{ source, startIndex: 1, endIndex: 18 }] },
    ])
  })

  test.each<[string, LanguageModelV4StreamPart[]]>([
    ['ends', []],
    ['finishes', [finish]],
    ['reports an error', [{ type: 'error', error: new Error('away') }]],
  ])('is sent to its end if the stream %s without text-end', async (_, rest) => {
    const parts = await readParts(streamWith([{ type: 'text-delta', id: '1', delta: 'x 水' }, ...rest]))
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
          else controller.enqueue({ type: 'text-delta', id: '1', delta: 'x 水' })
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

  test('ends when its reader aborts', async () => {
    const controller = new AbortController()
    const cancelled = Promise.withResolvers<unknown>()
    const endless = new ReadableStream<LanguageModelV4StreamPart>({
      pull: (target) => target.enqueue({ type: 'text-delta', id: '1', delta: 'a 水 ' }),
      cancel: cancelled.resolve,
    })
    const { stream } = await streamFrom(endless).doStream({ ...call, abortSignal: controller.signal })
    const reader = stream.getReader()
    expect((await reader.read()).value).toMatchObject({ delta: 'a machine learning ' })
    await reader.cancel('enough')
    expect(await cancelled.promise).toBe('enough')
  })
})

describe('structured output', () => {
  const schema = z.object({ title: z.string(), 水: z.array(z.string()) })
  const json = '{"title": "I 火", "水": ["a \\u6c34", "水", "ML"]}'
  const expected = { title: 'I say "hi"\n\\o/', 水: ['a machine learning', '水', 'ML'] }

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

  test.each([
    ['names and white space', '{"a 水" : "a 水",\n"n": 1.50}', '{"a 水" : "a machine learning",\n"n": 1.50}'],
    ['a string that breaks off', '{"a":"a 水","b":"a 水', '{"a":"a machine learning","b":"a 水'],
    ['a name that breaks off', '{"a 水\\', '{"a 水\\'],
    ['a string with other escapes', '["a\\x 水","a 水"]', '["a\\x 水","a machine learning"]'],
    ['what JSON can escape', '["\\/ é \\u00e9", "a \\ud840\\udc00"]', '["\\/ é \\u00e9", "a rare"]'],
    ['a fence', 'Here:\n```json\n{"a":"a 水"}\n```', 'Here:\n```json\n{"a":"a machine learning"}\n```'],
  ])('keeps %s, cut anywhere', async (_, text, decoded) => {
    const options: LanguageModelV4CallOptions = { prompt: [], responseFormat: { type: 'json' } }
    for (const length of [1, 2, text.length]) {
      const parts = await readParts(streamWith([...textParts(cut(text, [length])), finish]), options)
      expect(join(parts, 'text-delta', '1')).toBe(decoded)
    }
  })
})

describe('given the addresses of links', () => {
  const links = { 1: 'https://docs.example/水', 7: '/guide' }
  const text = 'Use 水: [the guide](7), ![a](1) and `[b](1)`, not [c](9).'
  const resolved =
    'Use machine learning: [the guide](/guide), [a](https://docs.example/水) and `[b](1)`, not [c](9).'

  test('an answer has them in its text, and in strings of JSON and of tools', async () => {
    const input = JSON.stringify({ note: text })
    const { content } = await answerWith(
      [
        { type: 'text', text },
        { type: 'tool-call', toolCallId: 'c', toolName: 't', input },
      ],
      { links },
    ).doGenerate(call)
    expect(content).toMatchObject([{ text: resolved }, { input: JSON.stringify({ note: resolved }) }])
    const json = await answerWith([{ type: 'text', text: input }], { links }).doGenerate({
      ...call,
      responseFormat: { type: 'json' },
    })
    expect(json.content).toMatchObject([{ text: JSON.stringify({ note: resolved }) }])
  })

  test('a stream has them however it is cut, and citations move with their text', async () => {
    const citations = [{ startIndex: text.indexOf('`'), endIndex: text.length }]
    const end = { type: 'text-end', id: '1', citations } as LanguageModelV4StreamPart
    await fc.assert(
      fc.asyncProperty(lengths, async (cuts) => {
        const parts = [...textParts(cut(text, cuts)).slice(0, -1), end, finish]
        const read = await readParts(streamWith(parts, { links }))
        expect(join(read, 'text-delta', '1')).toBe(resolved)
        expect(read.find(({ type }) => type === 'text-end')).toMatchObject({
          citations: [{ startIndex: resolved.indexOf('`'), endIndex: resolved.length }],
        })
      }),
      { numRuns: 20 },
    )
  })
})
