import { APICallError } from 'ai'
import { describe, expect, it, vi } from 'vitest'
import { type AskedModel, createEndpointModel, type Prompt, wrapModel } from '../../src/calls/ask-model.ts'
import { type Responder, sendAnswer, startEndpoint } from '../start-endpoint.ts'

const PROMPT: Prompt = { system: 'A document', user: 'A question' }
const KEY = 'sk-secret-0123456789'
const never = new AbortController().signal

function createModel(url: string, key: string | null = KEY, seconds = 60): AskedModel {
  const hide = (text: string): string => text.replaceAll(KEY, '[key]')
  return createEndpointModel('small', url, key ?? undefined, { options: {}, seconds, hide })
}

describe('createEndpointModel', () => {
  it('asks with the key, and reads answer, name and tokens as billed', async () => {
    const { url, requests } = await startEndpoint(() => '42')
    const model = createModel(`${url}/`)
    const answer = await model.ask(PROMPT, never)
    expect(answer).toMatchObject({
      text: '42',
      returned: 'stand-in-2026',
      finish: 'stop',
      tokens: { input: 100, cached: 60, output: 10, reasoning: 4 },
    })
    expect(requests).toMatchObject([{ model: 'small', system: 'A document', user: 'A question' }])
    expect(requests[0]!.headers.authorization).toBe(`Bearer ${KEY}`)
  })

  it('sends no authorization without a key', async () => {
    const { url, requests } = await startEndpoint(() => '42')
    await createModel(url, null).ask(PROMPT, never)
    expect(requests[0]!.headers.authorization).toBeUndefined()
  })

  it('waits as a rate limit says, and asks again', async () => {
    const respond: Responder = (_, response, number) => {
      if (number > 5) return 'after the storm'
      response.writeHead(429, { 'retry-after-ms': '1' }).end('{"error":{"message":"slow down"}}')
      return undefined
    }
    const { url, requests } = await startEndpoint(respond)
    const answer = await createModel(url).ask(PROMPT, never)
    expect(answer.text).toBe('after the storm')
    expect(requests).toHaveLength(6)
  })

  it('asks a first call again after a rate limit, although another was answered meanwhile', async () => {
    let limit: (() => void) | undefined
    const { url } = await startEndpoint(({ user }, response, number) => {
      if (user === 'free' || number > 2) return 'answered'
      limit = () => void response.writeHead(429, { 'retry-after-ms': '1' }).end('{}')
      return undefined
    })
    const model = createModel(url)
    const limited = model.ask({ user: 'limited' }, never)
    await vi.waitUntil(() => limit !== undefined, 60_000)
    await model.ask({ user: 'free' }, never)
    limit!()
    expect(await limited).toMatchObject({ text: 'answered' })
  })

  it.each<[what: string, respond: Responder, code: string, message: RegExp]>([
    ['a wrong key', refuseWith(401, `bad key ${KEY}`), 'refused', /401.*bad key \[key\]/],
    ['an unknown model', refuseWith(404, 'no such model'), 'refused', /404 for small: no such model/],
    ['a refused prompt', refuseWith(400, 'content policy'), 'failed', /400 for small: content policy/],
    ['an answer that is no JSON', respondWith(200, '<html>'), 'failed', /not that of a chat completion/],
    ['an answer of another shape', respondWith(200, '{"ok":true}'), 'failed', /no answer|not that of a chat/],
    [
      'an answer without choices',
      respondWith(200, '{"choices":[]}'),
      'failed',
      /no answer of small|not that/,
    ],
    [
      'a redirect',
      respondWith(307, '', { location: 'https://example.org/v1' }),
      'refused',
      /redirects, which is not followed/,
    ],
    ['a response that is cut', cutResponse, 'failed', /the response was cut/],
    ['a connection that is closed', (_, response) => void response.destroy(), 'failed', /no response came/],
    [
      'a response that is too large',
      respondWith(200, 'x'.repeat(5 * 1024 * 1024)),
      'failed',
      /larger than 4 MiB/,
    ],
  ])('asks once, without the key in the error: %s', async (_, respond, code, message) => {
    const { url, requests } = await startEndpoint(respond)
    const error = await createModel(url)
      .ask(PROMPT, never)
      .catch((one: unknown) => one)
    expect(error).toMatchObject({ code: `endpoint_${code}`, message: expect.stringMatching(message) })
    expect(String((error as Error).stack) + (error as { hint: string }).hint).not.toContain(KEY)
    expect(requests).toHaveLength(1)
  })

  it('gives up a response that stalls, and asks no second time', async () => {
    const { url, requests } = await startEndpoint(
      (_, response) => void response.writeHead(200).write('{"id"'),
    )
    const asking = createModel(url, KEY, 0.2).ask(PROMPT, never)
    await expect(asking).rejects.toMatchObject({
      code: 'endpoint_failed',
      message: 'no whole response came within 0.2 seconds',
    })
    expect(requests).toHaveLength(1)
  })

  it('says at once that nothing listens', async () => {
    const { url, close } = await startEndpoint(() => '')
    await close()
    const asking = createModel(url).ask(PROMPT, never)
    await expect(asking).rejects.toMatchObject({
      code: 'endpoint_refused',
      message: expect.stringContaining('cannot be reached'),
    })
  })

  it('hides a key that the endpoint repeats', async () => {
    const { url } = await startEndpoint(({ headers }, response) =>
      sendAnswer(response, `You sent ${headers.authorization}`, { model: KEY }),
    )
    const answer = await createModel(url).ask(PROMPT, never)
    expect(answer).toMatchObject({ text: 'You sent Bearer [key]', returned: '[key]' })
  })

  it('does not take what a model thinks for its answer', async () => {
    const { url } = await startEndpoint(() => '<think>Is it 41? No.</think>\n\n42')
    expect((await createModel(url).ask(PROMPT, never)).text.trim()).toBe('42')
  })

  it('takes counts that are none for unknown', async () => {
    const usage = { prompt_tokens: -5, completion_tokens: 1.5, total_tokens: 0 }
    const { url } = await startEndpoint((_, response) => sendAnswer(response, 'x', { usage }))
    const { tokens } = await createModel(url).ask(PROMPT, never)
    expect(tokens).toMatchObject({ input: null, output: null })
  })

  it('waits for an answer that is on its way, but not for another attempt, when it is stopped', async () => {
    const stop = new AbortController()
    const { url, requests } = await startEndpoint((_, response, number) => {
      stop.abort(new Error('stopped'))
      if (number === 1) return 'paid for'
      response.writeHead(429, { 'retry-after-ms': '50000' }).end('{}')
      return undefined
    })
    const model = createModel(url)
    expect(await model.ask(PROMPT, stop.signal)).toMatchObject({ text: 'paid for' })
    await expect(model.ask(PROMPT, stop.signal)).rejects.toThrow('stopped')
    expect(requests.length).toBeLessThan(3)
  })

  it.each([
    ['ftp://example.org', 'not an http'],
    ['nonsense', 'not an http'],
    ['http://example.org/v1', 'must be https'],
    ['http://127.0.0.1.example.org/v1', 'must be https'],
    ['https://me:secret@example.org/v1', 'has a user'],
    ['https://example.org/v1?key=secret', 'has a user'],
  ])('refuses the URL %s', (url, message) => {
    const create = (): unknown => createModel(url)
    expect(create).toThrow(
      expect.objectContaining({ code: 'invalid_endpoint', message: expect.stringContaining(message) }),
    )
    expect(create).not.toThrow(/secret/)
  })
})

describe('wrapModel', () => {
  const settings = {
    options: {},
    seconds: 0.1,
    hide: (text: string): string => text.replaceAll(KEY, '[key]'),
  }
  const create = (doGenerate: () => Promise<unknown>): AskedModel =>
    wrapModel({ ...MODEL, doGenerate } as unknown as Parameters<typeof wrapModel>[0], settings)

  it('gives up a model that never answers', async () => {
    const asking = create(() => new Promise(() => undefined)).ask(PROMPT, never)
    await expect(asking).rejects.toMatchObject({
      code: 'endpoint_failed',
      message: expect.stringContaining('within 0.1'),
    })
  })

  it('asks once if the response was lost, and hides secrets of its errors', async () => {
    let asked = 0
    const lost = {
      message: `lost ${KEY}`,
      url: '',
      requestBodyValues: {},
      isRetryable: true,
      statusCode: 200,
    }
    const model = create(() => {
      asked++
      return Promise.reject(new APICallError(lost))
    })
    const error = await model.ask(PROMPT, never).catch((one: unknown) => one)
    expect(error).toMatchObject({ code: 'endpoint_failed', message: 'the response was lost: lost [key]' })
    expect(asked).toBe(1)
  })
})

const MODEL = { specificationVersion: 'v3', provider: 'own', modelId: 'own', supportedUrls: {} }

const JSON_TYPE = { 'content-type': 'application/json' }

function respondWith(
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Responder {
  return (_, response) => void response.writeHead(status, { ...JSON_TYPE, ...headers }).end(body)
}

function refuseWith(status: number, message: string): Responder {
  return respondWith(status, JSON.stringify({ error: { message } }))
}

function cutResponse(_: unknown, response: Parameters<Responder>[1]): undefined {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
  response.write('{"id":"one","choices":[', () => response.destroy())
}
