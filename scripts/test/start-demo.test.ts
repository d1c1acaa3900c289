import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { beginRun, isAlive } from '../demo/demo-run.ts'
import { prepareDemo } from '../demo/prepare-demo.ts'

const root = join(import.meta.dirname, '..', '..')
const folder = mkdtempSync(join(tmpdir(), 'packs-demo-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** What `pnpm start` prints, once it serves; without a terminal, as in a pipeline. */
interface Started {
  readonly text: string
  readonly url: string
  readonly free: string
  readonly pro: string
  end(): Promise<number | null>
}

async function start(): Promise<Started> {
  const program = join(root, 'scripts', 'start-demo.ts')
  const child = spawn(process.execPath, [program, join(folder, 'served')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  for await (const chunk of child.stdout) {
    text += String(chunk)
    if (/^More: .*\n/m.test(text)) break
  }
  const find = (pattern: RegExp): string => pattern.exec(text)?.[1] ?? ''
  return {
    text,
    url: find(/^Open (\S+), /m),
    free: find(/'x-api-key: (kp_\w+)'/),
    pro: find(/PACK_KEY=(kp_\w+)/),
    async end() {
      const ended = once(child, 'exit') as Promise<[number | null]>
      child.kill('SIGTERM')
      return (await ended)[0]
    },
  }
}

const ask = async (
  { url }: Started,
  path: string,
  key: string,
): Promise<{ status: number; body: Record<string, unknown> }> => {
  const answer = await fetch(`${url}${path}`, { headers: { 'x-api-key': key } })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

it('serves the examples with two keys until it is told to end; the next run is like it, on the next free port', async () => {
  const blocker = await takePort(8080)
  const first = await start()
  expect(first.url).not.toBe('http://127.0.0.1:8080')
  expect(first.text).toContain(' Port 8080 was taken.\n')
  expect(first.text.split('\n').length).toBeLessThanOrEqual(15)
  expect(first.text).toMatch(/^12 pages, 24,\d{3} → 19,\d{3} tokens: 2\d\.\d % less\. /m)
  const [, accept, address] = /^ {2}curl .* -H 'accept: (.*?)' '(.*)'$/m.exec(first.text)!
  const answer = await fetch(address!, { headers: { 'x-api-key': first.free, accept: accept! } })
  expect(await answer.text()).toContain('<doc id="tls-certificates#')
  expect((await ask(first, '/api/v1/packs', first.free)).body['meta']).toMatchObject({ total: 12 })
  expect((await ask(first, '/api/v1/packs/tls-certificates', first.free)).body).toMatchObject({
    preview: true,
  })
  expect((await ask(first, '/api/v1/packs/tls-certificates', first.pro)).body).toMatchObject({
    preview: false,
  })
  expect((await fetch(first.url)).status).toBe(200)
  for (let count = 0; count < 10; count++) await ask(first, '/api/v1/packs', first.free)
  expect((await ask(first, '/api/v1/packs', first.free)).status).toBe(429)
  const beside = await start()
  expect((await ask(first, '/api/v1/usage', first.pro)).status).toBe(200)
  expect((await ask(beside, '/api/v1/usage', first.pro)).status).toBe(200)
  expect(await first.end()).toBe(0)

  const second = await start()
  expect((await ask(second, '/api/v1/usage', beside.pro)).status).toBe(200)
  expect(await beside.end()).toBe(0)
  expect((await ask(second, '/api/v1/packs', first.free)).status).toBe(401)
  expect((await ask(second, '/api/v1/packs', second.free)).body['meta']).toMatchObject({ total: 12 })
  expect((await ask(second, '/api/v1/usage', second.free)).body).toMatchObject({ limit: 10, used: 1 })
  expect((await ask(second, '/api/v1/usage', second.pro)).body).toMatchObject({ limit: 1000, used: 0 })
  expect(await second.end()).toBe(0)
  blocker?.close()
  // Three starts, each with a build, a publish and a server, and one more for a port that is taken.
}, 600_000)

it('is online, whatever an earlier run left, and offers a claim code for its Pro account', async () => {
  const { openCatalog } = await import('@packs/catalog')
  const place = join(folder, 'prepared')
  const catalog = await openCatalog({ url: join(place, 'catalog.sqlite') })
  await catalog.settings.setMode('recovery', { actor: { kind: 'operator', id: 'ada' } })
  const run = await beginRun()
  const sources = join(folder, 'sources')
  mkdirSync(sources)
  writeFileSync(join(sources, 'a.md'), '# A\n\nText.\n')
  const { claim } = await prepareDemo(sources, place, run)
  run.end()
  expect((await catalog.settings.mode()).mode).toBe('online')
  expect(await catalog.accounts.checkCode(claim.email, claim.code, new Date())).toMatchObject({ tier: 'pro' })
  await catalog.close()
})

it('is seen alive by its name until it ends, and nobody else is', async () => {
  const run = await beginRun()
  const other = createServer((socket) => socket.end('hello')).listen(0, '127.0.0.1')
  await once(other, 'listening')
  const [port, mark] = run.name.split('-')
  const elsewhere = (other.address() as AddressInfo).port
  expect(await isAlive(run.name)).toBe(true)
  for (const name of [
    `${port}-x${mark}`,
    `${port}-`,
    `${elsewhere}-${mark}`,
    'mm8eww00',
    '0-a',
    '70000-a',
    '',
  ]) {
    expect([name, await isAlive(name)]).toEqual([name, false])
  }
  run.end()
  other.close()
  expect(await isAlive(run.name)).toBe(false)
})

/** Listens on a port, where nobody else does already. */
async function takePort(port: number): Promise<Server | undefined> {
  const server = createServer()
  const taken = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true))
  })
  return taken ? server : undefined
}
