import type { LanguageModelV4GenerateResult } from '@ai-sdk/provider'
import { createClient, createPin } from '@packs/client'
import { createClientSource } from '@packs/client/tools'
import { loadTokenizer } from '@packs/codec/tokens'
import { generateText, isStepCount, type ModelMessage, type Schema } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import fc from 'fast-check'
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
      /^<passage pack="tls-certificates" version="1\.1\.0" section="rotation[^]*\n## Rotation\n\nRotate a client/,
    )
  })

  test('searches any source, not only a client', async () => {
    const tools = packTools(createClientSource(catalog, () => Promise.resolve(tokenizer)))
    expect(await search(tools, { query: 'when to rotate' })).toEqual(
      await search(pro, { query: 'when to rotate' }),
    )
  })

  test('says what to do if nothing answers', async () => {
    expect(await search(pro, { query: 'quaternion' })).toEqual({
      text: 'No section answers this. Use fewer words, or words that the text itself would use.',
      hits: [],
    })
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
    /^1\. tls-certificates@1\.1\.0 section rotation \(\d+ tokens\) \[not pinned: read_pack cannot read this version\] TLS/,
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
      /^tls-certificates@1\.1\.0\n\nBefore the first heading\.\n[^]*the certificate authority signs/,
    )
  })

  test('returns a section with those below it', async () => {
    const { text, section } = await read(pro, { pack: 'tls-certificates', section: '#rotation' })
    expect(section).toBe('rotation')
    expect(text).toMatch(
      /^tls-certificates@1\.1\.0 section rotation\n\n## Rotation\n[^]*### Time\n\nThirty days before\.\n\n$/,
    )
  })

  test('returns the outline of a pack that is too large, and of a section', async () => {
    const whole = await read(pro, { pack: 'tls-certificates', max_tokens: 150 })
    expect(whole.outline).toBe(true)
    expect(whole.text).toMatch(
      /^tls-certificates@1\.1\.0 TLS certificates: about \d+ tokens, over max_tokens 150\. Call read_pack with one of/,
    )
    expect(whole.text).toMatch(/\n {2}- rotation \(\d+\) Rotation\n/)
    const section = await read(pro, {
      pack: 'tls-certificates',
      section: 'tls-certificates',
      max_tokens: 200,
    })
    expect(section.text).toMatch(/Its own text needs max_tokens \d+\. Call/)
    expect(section.text).toMatch(/\n {2}- time \(\d+\) Time\n/)
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

  test.each([
    [{ pack: 'nothing-here' }, /\(pack_not_found\)$/],
    [{ pack: 'tls-certificates@^7' }, /\(no_matching_version\)$/],
    [{ pack: '\u0000../..' }, /\(invalid_name\)$/],
    [
      { pack: 'tls-certificates', section: 'nowhere' },
      /has no such section\. Call .* \(section_not_found\)$/,
    ],
  ])('explains what is wrong with %j', async (input, message) => {
    await expect(read(pro, input)).rejects.toThrow(message)
  })
})

test('no text has more than max_tokens', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 100, max: 1200 }),
      fc.constantFrom(undefined, 'tls-certificates', 'rotation', 'time', 'client-errors', 'plain'),
      fc.constantFrom('tls-certificates', 'http-status-codes', 'plain', 'plain@^1'),
      async (max_tokens, section, pack) => {
        const answer = await read(pro, { pack, max_tokens, ...(section && { section }) }).catch(
          (error: Error) => ({
            text: error.message,
          }),
        )
        const found = await search(pro, { query: 'certificate status code', max_tokens })
        expect(tokenizer.countTokens(answer.text)).toBeLessThanOrEqual(max_tokens)
        expect(tokenizer.countTokens(found.text)).toBeLessThanOrEqual(max_tokens)
      },
    ),
    { numRuns: 40 },
  )
})

describe('arguments', () => {
  const validate = (tool: 'search_packs' | 'read_pack', input: unknown) =>
    (pro[tool].inputSchema as Schema).validate!(input)

  test.each([
    ['search_packs', { query: '?!' }, 'query must have words. Write'],
    ['search_packs', {}, 'query must have words. Write'],
    ['search_packs', { query: 'x'.repeat(401) }, 'query must have at most 400 characters. Keep'],
    ['search_packs', { query: 'x', max_tokens: 1 }, 'max_tokens must be at least 100. Omit it for 2000. '],
    ['search_packs', { query: 'x', max_tokens: 200_001 }, 'max_tokens must be at most 200000. Read'],
    [
      'search_packs',
      { query: 'x', max_tokens: '9' },
      'max_tokens must be a whole number, not of type string. ',
    ],
    ['read_pack', { pack: 7 }, 'pack must be a string, not 7. Send it as text. '],
    ['read_pack', { pack: 'x'.repeat(501) }, 'pack must have at most 500 characters. '],
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
      value: { query: 'tls', max_tokens: 2000 },
    })
    expect(await validate('read_pack', { pack: 'a', section: null })).toEqual({
      success: true,
      value: { pack: 'a', section: undefined, max_tokens: 8000 },
    })
  })

  test('are described with the tools in at most 400 tokens', async () => {
    const definitions = [pro.search_packs, pro.read_pack].map(async ({ description, inputSchema }) => ({
      description,
      inputSchema: await (inputSchema as Schema).jsonSchema,
    }))
    const text = JSON.stringify(await Promise.all(definitions))
    expect(text).toContain('"minimum":100,"maximum":200000,"default":8000')
    expect(tokenizer.countTokens(text)).toBeLessThanOrEqual(400)
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
