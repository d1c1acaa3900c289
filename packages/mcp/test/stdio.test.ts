import { PassThrough, Writable } from 'node:stream'
import { loadTokenizer } from '@packs/codec/compress'
import type { Context } from '@packs/client'
import { createMemorySource, createTools, type DocsSource } from '@packs/client/internal'
import { servePacksOverStdio } from '@packs/mcp'
import { afterEach, expect, it, vi } from 'vitest'

afterEach(() => vi.useRealTimers())

interface Response {
  readonly id: number | null
  readonly result?: { readonly content?: unknown }
  readonly error?: { readonly code: number }
}

function serve(source: DocsSource) {
  const stdin = new PassThrough()
  const lines: Response[] = []
  const notices: string[] = []
  const stdout = new Writable({
    write(chunk: Buffer, _encoding, written) {
      lines.push(JSON.parse(chunk.toString()) as Response)
      written()
    },
  })
  const ended = servePacksOverStdio(createTools(source), {
    version: '1.0.0',
    streams: { stdin, stdout },
    onNotice: (notice) => void notices.push(notice),
  })
  return { stdin, stdout, lines, notices, ended }
}

const nothing: Context = {
  text: '',
  links: {},
  tokens: 0,
  budget: 2000,
  match: 'none',
  passages: [],
  omitted: [],
  corrected: null,
  needed: null,
  stale: false,
}
const empty = createMemorySource(() => Promise.resolve([]), loadTokenizer)
const ping = (id: number): string => JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })
const search = (id: number): string => {
  const params = { name: 'search_packs', arguments: { query: 'x' } }
  return JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })
}

it('answers lines that are no messages, and the ones after them', async () => {
  const { stdin, lines, notices, ended } = serve(empty)
  const bad: readonly (readonly [line: string, code: number, id: number | null])[] = [
    ['garbage', -32_700, null],
    ['{"jsonrpc":"2.0","id":1,"method":"ping"', -32_700, null],
    [`\uFEFF${ping(1)}`, -32_700, null],
    ['null', -32_600, null],
    ['[]', -32_600, null],
    [`[${ping(1)}]`, -32_600, null],
    ['{"jsonrpc":"1.0","id":7,"method":"ping"}', -32_600, 7],
    ['{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}', -32_600, null],
    [ping(1).replace('ping', 'x'.repeat(3_000_000)), -32_600, null],
  ]
  stdin.write(`${ping(100)}\r\n\n`)
  for (const [line] of bad) stdin.write(`${line}\n`)
  stdin.end(ping(101))
  await ended
  const errors = lines.filter(({ error }) => error !== undefined)
  expect(errors.map(({ id, error }) => [error!.code, id])).toEqual(bad.map(([, code, id]) => [code, id]))
  expect(lines.filter(({ result }) => result).map(({ id }) => id)).toEqual([100, 101])
  expect(notices).toHaveLength(bad.length)
  expect(notices[0]).toBe('A line is not JSON. The message was ignored.')
})

/** A source whose search waits. */
function createGate() {
  const called = Promise.withResolvers<void>()
  const found = Promise.withResolvers<Context>()
  const source: DocsSource = {
    ...empty,
    context: () => {
      called.resolve()
      return found.promise
    },
  }
  return { source, called: called.promise, open: () => found.resolve(nothing) }
}

it('finishes what was called before stdin ended', async () => {
  const gate = createGate()
  const { stdin, lines, ended } = serve(gate.source)
  stdin.end(`${search(1)}\n`)
  await gate.called
  expect(lines).toEqual([])
  gate.open()
  await ended
  expect(lines).toMatchObject([{ id: 1, result: { content: [{ type: 'text' }] } }])
})

it('waits five seconds for a call, and not for one that was cancelled', async () => {
  const gate = createGate()
  const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }
  const first = serve(gate.source)
  first.stdin.end(`${search(1)}\n${JSON.stringify(cancelled)}\n`)
  await first.ended
  expect(first.lines).toEqual([])

  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const second = serve(gate.source)
  second.stdin.end(`${search(1)}\n`)
  await vi.waitFor(() => expect(vi.getTimerCount()).toBeGreaterThan(0), { timeout: 60_000 })
  await vi.advanceTimersByTimeAsync(5000)
  await second.ended
  expect(second.lines).toEqual([])
})

it('ends when stdout fails', async () => {
  const { stdin, stdout, notices, ended } = serve(empty)
  stdin.write(`${ping(1)}\n`)
  stdout.destroy(new Error('EPIPE'))
  await ended
  expect(stdin.destroyed).toBe(true)
  expect(notices).toEqual(['EPIPE'])
})
