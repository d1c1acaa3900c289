// Child process of api.ts: sends one prepared response to every request.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

const prepared = JSON.parse(await text(process.stdin)) as { headers: Record<string, string>; body: string }
const body = Buffer.from(prepared.body, 'base64')

const server = createServer((request, response) => {
  if (request.url === '/usage') {
    const { user, system } = process.cpuUsage()
    response.end(JSON.stringify({ cpuSeconds: (user + system) / 1e6, memory: process.memoryUsage.rss() }))
    return
  }
  response.writeHead(200, prepared.headers)
  response.end(body)
})
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
process.once('SIGTERM', () => process.exit(0))
