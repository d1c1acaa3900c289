import type { LanguageModelV4GenerateResult } from '@ai-sdk/provider'
import { createClient, createPin, openDocs } from '@packs/client'
import { generateText, isStepCount, type ModelMessage, type Schema } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { describe, expect, test } from 'vitest'
import { startCatalog } from '../../client/test/start-catalog.ts'
import { packTools, type PackTools, type ToolAnswer } from '../src/index.ts'

const api = await startCatalog()
const url = `http://127.0.0.1:${api.port}`
const catalog = createClient({ url, key: api.pro.key })
const pro = await packTools(await openDocs({ url, key: api.pro.key }))
const free = await packTools(await openDocs({ url, key: api.free.key }))

const context = { toolCallId: 'c', messages: [] as ModelMessage[], context: {} }
const use = (name: string) => async (tools: PackTools, input: Record<string, unknown>) =>
  (await tools[name]!.execute!(input, context)) as ToolAnswer
const search = use('search_packs')
const read = use('read_pack')

describe('search_packs', () => {
  test('returns the passages that answer, and names pack and version', async () => {
    const { text, passages } = await search(pro, { query: 'when to rotate', max_tokens: 250 })
    const sections = expect.arrayContaining(['rotation']) as unknown
    expect(passages).toMatchObject([{ pack: 'tls-certificates', version: '1.1.0', sections }])
    expect(text).toMatch(/<doc id="tls-certificates#rotation[^]*## Rotation\n\nRotate a client/)
  })
})

test('two sets of tools do not hide each other, and say what they are about', async () => {
  const older = await catalog.packs.get('tls-certificates@~1.0')
  if (older.preview) throw new Error('the account has the whole pack')
  const lock = { lockfile_version: 1, packs: { [older.slug]: createPin(older, '~1.0') } } as const
  const docs = await openDocs({ url, key: api.pro.key, lock })
  const tools = { ...pro, ...(await packTools(docs, { name: 'tls', about: 'TLS of 2019' })) }
  expect(Object.keys(tools)).toEqual(['search_packs', 'read_pack', 'search_tls', 'read_tls'])
  expect(tools['search_tls']!.description).toContain(' TLS of 2019. ')
  expect(pro['search_packs']!.description).toContain('"TLS certificates"')
  expect(await use('search_tls')(tools, { query: 'rotate a client certificate' })).toMatchObject({
    passages: [{ pack: 'tls-certificates', version: '1.0.0' }],
  })
  await expect(use('read_tls')(tools, { pack: 'unknown' })).rejects.toThrow('Find its name with search_tls.')
})

describe('read_pack', () => {
  test('returns the plain text of a pack, and names pack, version and digest', async () => {
    const pack = await catalog.packs.get('tls-certificates')
    const answer = await read(pro, { pack: 'tls-certificates@^1' })
    expect(answer).toMatchObject({
      pack: 'tls-certificates',
      version: '1.1.0',
      digest: 'pack_digest' in pack && pack.pack_digest,
      section: null,
      outline: false,
    })
    expect(answer.text).toMatch(
      /^tls-certificates@1\.1\.0\n\nDocuments .*\n<doc id="tls-certificates">\nBefore the first heading\.\n[^]*the certificate authority signs/,
    )
    expect(await read(pro, { pack: 'tls-certificates', max_tokens: 150 })).toMatchObject({ outline: true })
  })

  test('says that Free accounts read the preview', async () => {
    const { text, digest } = await read(free, { pack: 'tls-certificates' })
    expect(text).toContain('(preview: only the beginning; the rest needs a Pro key)')
    expect(digest).toBeNull()
    await expect(read(free, { pack: 'tls-certificates', section: 'revocation' })).rejects.toThrow(
      'The section is not in the preview of tls-certificates@1.1.0, which is all that Free accounts get. ' +
        'Call read_pack without a section for the preview; the rest needs a Pro key. (tier_required)',
    )
  })
})

describe('arguments', () => {
  const validate = (tool: 'search_packs' | 'read_pack', input: unknown) =>
    (pro[tool]!.inputSchema as Schema).validate!(input)

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
    expect(await validate('search_packs', { query: ' tls ', other: 1 })).toMatchObject({ success: false })
    expect(await validate('search_packs', { query: ' tls ' })).toEqual({
      success: true,
      value: { query: 'tls', links: false, max_tokens: 2000 },
    })
    expect(await validate('read_pack', { pack: 'a', section: null })).toEqual({
      success: true,
      value: { pack: 'a', section: undefined, next: undefined, links: false, max_tokens: 8000 },
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
