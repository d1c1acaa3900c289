import type { LanguageModelV4GenerateResult } from '@ai-sdk/provider'
import { createClient, createPin } from '@packs/client'
import { createClientSource } from '@packs/client/tools'
import { loadTokenizer } from '@packs/codec/compress'
import { generateText, isStepCount, type ModelMessage, type Schema } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { describe, expect, test } from 'vitest'
import { startCatalog } from '../../client/test/start-catalog.ts'
import { packTools, type PackTools, type ReadAnswer, type SearchAnswer } from '../src/index.ts'

const tokenizer = await loadTokenizer('o200k_base')
const api = await startCatalog()
const url = `http://127.0.0.1:${api.port}`
const catalog = createClient({ url, key: api.pro.key })
const pro = packTools(catalog)
const free = packTools(createClient({ url, key: api.free.key }))

const context = { toolCallId: 'c', messages: [] as ModelMessage[], context: {} }
const search = async (
  tools: PackTools,
  input: { query: string; max_tokens?: number },
): Promise<SearchAnswer> => (await tools.search_packs.execute!(input, context)) as SearchAnswer
const read = async (
  tools: PackTools,
  input: { pack: string; section?: string; max_tokens?: number },
): Promise<ReadAnswer> => (await tools.read_pack.execute!(input, context)) as ReadAnswer

describe('search_packs', () => {
  test('returns the passages that answer, and names pack and version', async () => {
    const { text, hits } = await search(pro, { query: 'when to rotate', max_tokens: 250 })
    expect(hits[0]).toMatchObject({ pack: 'tls-certificates', version: '1.1.0', section: 'rotation' })
    expect(text).toMatch(
      /^Documents [^]*<doc id="tls-certificates#rotation[^]*\n## Rotation\n\nRotate a client/,
    )
  })

  test('searches any source, not only a client', async () => {
    const tools = packTools(createClientSource(catalog, () => Promise.resolve(tokenizer)))
    expect(await search(tools, { query: 'when to rotate' })).toEqual(
      await search(pro, { query: 'when to rotate' }),
    )
  })
})

test('a client with a lock says which hits it cannot read', async () => {
  const older = await catalog.packs.get('tls-certificates@~1.0')
  if (older.preview) throw new Error('the account has the whole pack')
  const lock = { lockfile_version: 1, packs: { [older.slug]: createPin(older, '~1.0') } } as const
  const tools = packTools(createClient({ url: `http://127.0.0.1:${api.port}`, key: api.pro.key, lock }))
  const { text, hits } = await search(tools, { query: 'rotate a client certificate' })
  expect(hits[0]).toMatchObject({ version: '1.1.0', pinned: false })
  expect(text).toMatch(
    /^Documents .*\n<doc>\n1\. tls-certificates@1\.1\.0 section rotation \(\d+ tokens\) \[not pinned: read_pack cannot read this version\] TLS/,
  )
  await expect(read(tools, { pack: 'tls-certificates@1.1.0' })).rejects.toThrow('(not_in_lock)')
  expect(await read(tools, { pack: 'tls-certificates' })).toMatchObject({ version: '1.0.0' })
})

describe('read_pack', () => {
  test('returns the plain text of a pack, and names pack, version and digest', async () => {
    const pack = await catalog.packs.get('tls-certificates')
    const answer = await read(pro, { pack: 'tls-certificates@^1' })
    expect(answer).toMatchObject({
      pack: 'tls-certificates',
      version: '1.1.0',
      pack_digest: 'pack_digest' in pack && pack.pack_digest,
      section: null,
      outline: false,
    })
    expect(answer.text).toMatch(
      /^tls-certificates@1\.1\.0\n\nDocuments .*\n<doc id="tls-certificates">\nBefore the first heading\.\n[^]*the certificate authority signs/,
    )
    expect(await read(pro, { pack: 'tls-certificates', max_tokens: 150 })).toMatchObject({ outline: true })
  })

  test('says that Free accounts read the preview', async () => {
    const { text, pack_digest } = await read(free, { pack: 'tls-certificates' })
    expect(text).toContain('(preview: only the beginning; the rest needs a Pro key)')
    expect(pack_digest).toBeNull()
    await expect(read(free, { pack: 'tls-certificates', section: 'revocation' })).rejects.toThrow(
      'The preview of tls-certificates@1.1.0, which is all that Free accounts get, has no such section. ' +
        'Call read_pack without a section for its ids, or search_packs. (section_not_found)',
    )
  })
})

describe('arguments', () => {
  const validate = (tool: 'search_packs' | 'read_pack', input: unknown) =>
    (pro[tool].inputSchema as Schema).validate!(input)

  test.each([
    ['search_packs', { query: '?!' }, 'query must have words. Write'],
    ['read_pack', { pack: 'x', section: 'y'.repeat(501) }, 'section must have at most 500 characters. '],
    ['read_pack', null, 'pack is missing. Name a pack; '],
    ['read_pack', 'tls-certificates', 'pack is missing. Name a pack; '],
  ] as const)('of %s are refused: %j', async (tool, input, message) => {
    const { error } = (await validate(tool, input)) as { error: Error }
    expect(error.message.startsWith(message)).toBe(true)
    expect(error.message).toMatch(/\(invalid_arguments\)$/)
  })

  test('have defaults, and no others', async () => {
    expect(await validate('search_packs', { query: ' tls ', other: 1 })).toEqual({
      success: true,
      value: { query: 'tls', links: false, max_tokens: 2000 },
    })
    expect(await validate('read_pack', { pack: 'a', section: null })).toEqual({
      success: true,
      value: { pack: 'a', section: undefined, links: false, max_tokens: 8000 },
    })
  })
})

test('a model searches and reads, and sees texts only', async () => {
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  }
  const step = (content: LanguageModelV4GenerateResult['content']): LanguageModelV4GenerateResult => ({
    content,
    finishReason: { unified: content[0]!.type === 'text' ? 'stop' : 'tool-calls', raw: undefined },
    usage,
    warnings: [],
  })
  const callTool = (toolName: string, input: unknown): LanguageModelV4GenerateResult =>
    step([{ type: 'tool-call', toolCallId: toolName, toolName, input: JSON.stringify(input) }])
  const model = new MockLanguageModelV4({
    doGenerate: [
      callTool('search_packs', { query: 'rotate a client certificate' }),
      callTool('read_pack', { pack: 'tls-certificates', section: 'rotation' }),
      callTool('read_pack', { pack: 'unknown' }),
      step([{ type: 'text', text: 'Thirty days before.' }]),
    ],
  })
  const result = await generateText({ model, tools: pro, prompt: 'When?', stopWhen: isStepCount(5) })
  expect(result.text).toBe('Thirty days before.')
  const seen = model.doGenerateCalls[3]!.prompt.flatMap((message) =>
    message.role === 'tool' ? message.content.map((part) => part.type === 'tool-result' && part.output) : [],
  )
  expect(seen).toMatchObject([
    { type: 'text', value: expect.stringContaining('## Rotation\n\nRotate a client certificate') },
    { type: 'text', value: expect.stringContaining('### Time\n\nThirty days before.') },
    { type: 'error-text', value: expect.stringContaining('(pack_not_found)') },
  ])
})
