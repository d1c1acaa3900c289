import { describe, expect, it } from 'vitest'
import { createPublisher } from '../src/requests/create-publisher.ts'
import { defaultPorts } from '../src/requests/send-request.ts'

const TOKEN = 'kpub_secret-of-the-test'
const DONE = { status: 'published', job: null, messages: [] }
const QUEUED = { status: 'queued', job: 'tls-1', messages: [] }

type Answer = readonly [status: number, body: object, headers?: Record<string, string>] | Error

/** A publisher whose server gives these answers in turn, the last one again and again. */
function openPublisher(...answers: readonly Answer[]) {
  const sent: string[] = []
  const waits: number[] = []
  const headers: Headers[] = []
  const ports = {
    ...defaultPorts,
    random: () => 0,
    now: () => 0,
    wait: (ms: number): Promise<void> => {
      // The time limit of a request.
      if (ms === 900_000) return new Promise(() => undefined)
      waits.push(ms)
      return Promise.resolve()
    },
    fetch: (address: unknown, init?: RequestInit) => {
      const answer = answers[Math.min(sent.length, answers.length - 1)]!
      sent.push(
        `${init?.method ?? 'GET'} ${new URL(String(address)).pathname} ${(init?.body as string | undefined) ?? ''}`.trim(),
      )
      headers.push(new Headers(init?.headers))
      if (answer instanceof Error) return Promise.reject(answer)
      const [status, body, more] = answer
      return Promise.resolve(Response.json(body, { status, headers: more ?? {} }))
    },
  }
  return { publish: createPublisher('https://packs.example', TOKEN, false, ports), sent, waits, headers }
}

const problem = (code: string, more: object = {}): object => ({ code, detail: `it is ${code}`, ...more })

describe('a publisher', () => {
  it('puts a body with the token, as a bearer token only', async () => {
    const { publish, sent, headers } = openPublisher([201, DONE])
    expect(await publish('tls', '{}', false)).toEqual(DONE)
    expect(sent).toEqual(['PUT /publish/v1/packs/tls {}'])
    expect(headers[0]!.get('authorization')).toBe(`Bearer ${TOKEN}`)
    expect(headers[0]!.get('content-type')).toBe('application/json')
    expect(headers[0]!.has('x-api-key')).toBe(false)
  })

  it('sends again what got no answer, and waits as long as the server says', async () => {
    const busy: Answer = [503, problem('service_unavailable'), { 'retry-after': '2' }]
    const limited: Answer = [429, problem('too_many_failed_keys'), { 'retry-after': '7' }]
    const { publish, sent, waits } = openPublisher(new Error('reset'), busy, limited, [200, DONE])
    expect(await publish('tls', '{}', false)).toEqual(DONE)
    expect(sent).toHaveLength(4)
    expect(waits).toEqual([150, 2000, 7000])
  })

  it.each([
    [503, 'recovery_mode', { 'retry-after': '600' }],
    [500, 'round_trip_failed', {}],
    [401, 'invalid_publish_token', {}],
    [409, 'version_conflict', {}],
  ])('does not repeat %i %s', async (status, code, more) => {
    const body = problem(code, { hint: 'a hint' })
    const { publish, sent } = openPublisher([status, body, more])
    await expect(publish('tls', '{}', true)).rejects.toMatchObject({
      code,
      status,
      cause: { hint: 'a hint' },
    })
    expect(sent).toHaveLength(1)
  })

  it('asks for a job until it is done, and sends the source again if that takes long', async () => {
    const { publish, sent } = openPublisher(...Array.from({ length: 61 }, (): Answer => [202, QUEUED]), [
      201,
      DONE,
    ])
    expect(await publish('tls', '{}', true)).toEqual(DONE)
    expect(sent.slice(0, 2)).toEqual(['PUT /publish/v1/packs/tls {}', 'GET /publish/v1/jobs/tls-1'])
    expect(sent.filter((one) => one.startsWith('PUT'))).toHaveLength(2)
    expect(sent[60]).toBe('PUT /publish/v1/packs/tls {}')
    expect(sent).toHaveLength(62)
  })

  it('does not wait if it is not to', async () => {
    const { publish, sent } = openPublisher([202, QUEUED])
    expect(await publish('tls', '{}', false)).toEqual(QUEUED)
    expect(sent).toHaveLength(1)
  })

  it('has the token in no error', async () => {
    const { publish } = openPublisher([400, problem('invalid_publish', { detail: `not ${TOKEN}` })])
    const error = await publish('tls', '{}', false).catch((thrown: unknown) => thrown as Error)
    expect((error as Error).message).toBe('not ***')
  })

  it('sends a token over https only, and over http to this machine', () => {
    expect(() => createPublisher('http://packs.example', TOKEN, false)).toThrow(
      expect.objectContaining({ code: 'insecure_url' }),
    )
    expect(() => createPublisher('ftp://packs.example', TOKEN, false)).toThrow(
      expect.objectContaining({ code: 'invalid_option' }),
    )
    expect(() => createPublisher('https://packs.example', 'two words', false)).toThrow(
      expect.objectContaining({ code: 'invalid_option' }),
    )
    expect(createPublisher('http://packs.example', TOKEN, true)).toBeTypeOf('function')
    expect(createPublisher('http://127.0.0.1:8080', TOKEN, false)).toBeTypeOf('function')
  })
})
