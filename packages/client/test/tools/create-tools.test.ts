import { loadTokenizer } from '@packs/codec/compress'
import { describe, expect, it } from 'vitest'
import { createClientSource, createTools, type PackSource, SourceError } from '../../src/tools/index.ts'
import { createClient } from '../../src/index.ts'
import { startCatalog } from '../start-catalog.ts'

const api = await startCatalog()
const tools = createTools(createClient({ url: `http://127.0.0.1:${api.port}`, key: api.pro.key }))

/** A source in which every method fails. */
const failWith = (error: Error): PackSource => {
  const fail = (): Promise<never> => Promise.reject(error)
  return { search: fail, context: fail, open: fail }
}

it('describes two tools as JSON Schema, in at most 400 tokens', async () => {
  const definitions = tools.map(({ name, description, parameters }) => ({ name, description, parameters }))
  expect(definitions).toMatchObject([
    {
      name: 'search_packs',
      parameters: {
        type: 'object',
        properties: {
          query: { type: 'string' },
          max_tokens: { type: 'integer', minimum: 100, maximum: 200_000, default: 2000 },
        },
        required: ['query'],
        additionalProperties: false,
      },
    },
    {
      name: 'read_pack',
      parameters: {
        properties: { pack: {}, section: {}, max_tokens: { default: 8000 } },
        required: ['pack'],
      },
    },
  ])
  const tokenizer = await loadTokenizer('o200k_base')
  expect(tokenizer.countTokens(JSON.stringify(definitions))).toBeLessThanOrEqual(400)
})

describe('a tool', () => {
  it('returns a text for the model, and the same as data', async () => {
    const [search, read] = tools
    const found = await search.execute({ query: 'rotate a client certificate' })
    expect(found.text).toMatch(/tls-certificates/)
    const answer = await read.execute({ pack: 'tls-certificates', section: 'rotation' })
    expect(answer.isError).toBeUndefined()
    expect(answer.text).toMatch(
      /^tls-certificates@1\.1\.0\n\nDocuments [^\n]*\n<doc id="tls-certificates#rotation">\n## Rotation\n/,
    )
    expect(answer.data).toMatchObject({ pack: 'tls-certificates', version: '1.1.0', section: 'rotation' })
  })

  it('answers the same from a source as from a client', async () => {
    const client = createClient({ url: `http://127.0.0.1:${api.port}`, key: api.pro.key })
    const [, read] = createTools(createClientSource(client, loadTokenizer))
    const call = { pack: 'tls-certificates', max_tokens: 150 }
    const answer = await read.execute(call)
    expect(answer).toMatchObject({ isOutline: true })
    expect(answer).toEqual(await tools[1].execute(call))
  })

  it.each([
    [undefined, 'pack is missing. Name a pack; search_packs finds names. (invalid_arguments)'],
    [{ pack: '../..' }, expect.stringMatching(/\(invalid_name\)$/)],
  ])('returns what is wrong with %j as a text', async (given, text) => {
    const answer = await tools[1].execute(given)
    expect(answer).toMatchObject({ text, isError: true, data: { error: { code: expect.any(String) } } })
  })

  it('keeps the error for logs', async () => {
    const cause = new SourceError('unavailable', 'The catalog does not answer', 'Try again.')
    const [search] = createTools(failWith(cause))
    expect(await search.execute({ query: 'tls' })).toEqual({
      text: 'The catalog does not answer. Try again. (unavailable)',
      data: { error: { code: 'unavailable', message: 'The catalog does not answer', hint: 'Try again.' } },
      isError: true,
      cause,
    })
  })

  it('throws errors that say nothing to a model', async () => {
    const [search] = createTools(failWith(new TypeError('a bug')))
    await expect(search.execute({ query: 'tls' })).rejects.toThrow(new TypeError('a bug'))
  })

  it('throws the reason of its signal', async () => {
    const reason = new Error('The user has left')
    const signal = AbortSignal.abort(reason)
    await expect(tools[0].execute({ query: 'unheard of' }, { signal })).rejects.toBe(reason)
  })

  it('prepares a call, whose errors are thrown', async () => {
    const [, read] = tools
    expect(() => read.prepare({ pack: 7 })).toThrow('pack must be a string')
    const call = read.prepare({ pack: ' nothing-here ', section: null })
    expect(call.args).toEqual({
      pack: 'nothing-here',
      section: undefined,
      links: false,
      max_tokens: 8000,
    })
    await expect(call.answer()).rejects.toMatchObject({ code: 'pack_not_found' })
  })
})

it('charges each call, and limits the data too if asked', async () => {
  const charged: string[] = []
  const client = createClient({ url: `http://127.0.0.1:${api.port}`, key: api.pro.key })
  const [search] = createTools(client, {
    limited: 'both',
    charge: async () => void charged.push('one'),
  })
  const tokenizer = await loadTokenizer('o200k_base')
  const { text, data } = await search.execute({ query: 'certificate', max_tokens: 120 })
  expect(charged).toEqual(['one'])
  expect(tokenizer.countTokens(text)).toBeLessThanOrEqual(120)
  expect(tokenizer.countTokens(JSON.stringify(data))).toBeLessThanOrEqual(120)
})
