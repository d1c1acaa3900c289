import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, request as sendRequest } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { closeLater } from '../../../test-kit/test/close-later.ts'
import { makeFolder } from '../../../test-kit/test/run-pack.ts'
import { startMcp } from './start-mcp.ts'

const suite = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')),
  'dist/index.js',
)

/** The suite can send no key, so a proxy adds one. */
const proxy = createServer((incoming, outgoing) => {
  const { method, headers } = incoming
  const sent = sendRequest(
    mcp.url,
    { method: method!, headers: { ...headers, 'x-api-key': mcp.pro } },
    (response) => {
      outgoing.writeHead(response.statusCode!, response.headers)
      response.pipe(outgoing)
    },
  )
  sent.on('error', () => outgoing.destroy())
  outgoing.on('close', () => sent.destroy())
  incoming.pipe(sent)
})

await new Promise<void>((resolve) => proxy.listen(0, 'localhost', resolve))
const origin = `http://localhost:${(proxy.address() as AddressInfo).port}`
const mcp = await startMcp(origin)
closeLater(() => {
  proxy.close()
  proxy.closeAllConnections()
})

it.each(['2026-07-28', '2025-11-25'])(
  'passes all of the public conformance suite of %s that applies',
  async (revision) => {
    const expected = fileURLToPath(new URL(`conformance/${revision}.yml`, import.meta.url))
    const args = ['server', '--url', `${origin}/mcp`, '--requirements', revision]
    const { NODE_OPTIONS: _options, ...env } = process.env
    const child = spawn(
      process.execPath,
      [suite, ...args, '--expected-failures', expected, '--output-dir', makeFolder()],
      { env },
    )
    const output: string[] = []
    child.stdout.setEncoding('utf8').on('data', (text: string) => output.push(text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => output.push(text))
    const [status] = (await once(child, 'close')) as [number | null]
    expect({ status, output: status === 0 ? '' : output.join('') }).toEqual({ status: 0, output: '' })
  },
)
