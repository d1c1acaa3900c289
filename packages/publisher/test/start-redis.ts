import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { Redis } from 'ioredis'

/** A Redis for tests. */
export interface TestRedis {
  readonly url: string
  stop(): Promise<void>
}

/**
 * Starts an empty Redis of one's own; with `REDIS_URL` set, and no settings asked for, empties a database of that one.
 *
 * @param settings of the server, as on its command line: `['--maxmemory', '1mb']`
 * @throws Error that says how to get a Redis, where there is none and none can be installed
 */
export async function startRedis(settings: readonly string[] = []): Promise<TestRedis> {
  const { REDIS_URL } = process.env
  if (REDIS_URL && settings.length === 0) return borrowRedis(REDIS_URL)
  const port = await findFreePort()
  const folder = mkdtempSync(join(tmpdir(), 'redis-test-'))
  const base = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '']
  const server = spawn(findServer(), [...base, ...settings], { stdio: ['ignore', 'pipe', 'inherit'] })
  await waitForLine(server, /Ready to accept connections/)
  return {
    url: `redis://127.0.0.1:${port}`,
    async stop() {
      if (server.exitCode === null && server.signalCode === null) {
        server.kill('SIGKILL')
        await once(server, 'exit')
      }
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Test files that run at the same time get a database each. */
async function borrowRedis(address: string): Promise<TestRedis> {
  const url = new URL(address)
  url.pathname = `/${1 + (Number(process.env['VITEST_POOL_ID'] ?? 0) % 15)}`
  const redis = new Redis(url.href)
  await redis.flushdb()
  redis.disconnect()
  return { url: url.href, stop: () => Promise.resolve() }
}

const NAMES = ['redis-server', 'valkey-server']

function findServer(): string {
  const found = NAMES.find((name) => isOnPath(name))
  if (found !== undefined) return found
  if (process.getuid?.() === 0 && isOnPath('apt-get')) {
    spawnSync('apt-get', ['update', '-qq'])
    spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'redis-server'])
    if (isOnPath('redis-server')) return 'redis-server'
  }
  throw new Error('The tests of the queue need redis-server or valkey-server on PATH, or REDIS_URL.')
}

function isOnPath(name: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function waitForLine(server: ChildProcess, line: RegExp): Promise<void> {
  let log = ''
  for await (const chunk of server.stdout!.iterator({ destroyOnReturn: false })) {
    log += String(chunk)
    if (line.test(log)) {
      server.stdout!.resume()
      return
    }
  }
  throw new Error(`Redis did not start: ${log.slice(-500)}`)
}
