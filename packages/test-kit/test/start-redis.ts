import type { ChildProcess } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { closeLater } from './close-later.ts'
import { findProgram } from './find-program.ts'
import { limitStart, startProgram, stopProgram } from './start-program.ts'

/** A Redis that belongs to one test, which may break it. */
export interface OwnRedis {
  readonly url: string
  /** Folder of its data files. */
  readonly folder: string
  /** Kills it, like a crash. */
  kill(): Promise<void>
  /** Starts it again on the same port with its data. */
  start(): Promise<void>
}

/** Ports that no system gives to outgoing connections; those of the bus of a cluster, 10,000 above them, neither. */
const PORTS = { from: 10_000, below: 22_000 }

/**
 * Starts an empty Redis on a free port, until the test ends or, outside of tests, those of the file.
 *
 * @param settings server options, as on the command line: `['--maxmemory', '1mb']`
 * @param later calls a function when the test ends, for tests that run at the same time
 * @throws Error with instructions if no Redis is found and none can be installed
 */
export async function startOwnRedis(
  settings: readonly string[] = [],
  later: (close: () => void | Promise<void>) => void = closeLater,
): Promise<OwnRedis> {
  const folder = mkdtempSync(join(tmpdir(), 'redis-test-'))
  let server: ChildProcess | undefined
  let port = 0
  const start = async (): Promise<void> => {
    const base = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '']
    server = await startServer([...base, ...settings])
  }
  while (server === undefined) {
    port = randomInt(PORTS.from, PORTS.below)
    await start().catch((error: unknown) => {
      if (String(error).includes('Address already in use')) return
      rmSync(folder, { recursive: true, force: true })
      throw error
    })
  }
  const kill = (): Promise<void> => stopProgram(server!, 'SIGKILL')
  later(async () => {
    await kill()
    rmSync(folder, { recursive: true, force: true })
  })
  return { url: `redis://127.0.0.1:${port}`, folder, kill, start }
}

async function startServer(settings: readonly string[]): Promise<ChildProcess> {
  const signal = limitStart()
  return startProgram(findServer(), settings, { signal, ready: /Ready to accept connections/ })
}

function findServer(): string {
  const found = findProgram(['redis-server', 'valkey-server'], 'redis-server')
  if (found !== undefined) return found
  throw new Error('The queue tests need redis-server or valkey-server on PATH, or REDIS_URL.')
}

/**
 * Starts an empty Redis, as `startOwnRedis` does. If `REDIS_URL` is set, empties and uses a database of that Redis.
 *
 * @throws Error with instructions if no Redis is found and none can be installed
 */
export async function startRedis(): Promise<Pick<OwnRedis, 'url'>> {
  const { REDIS_URL } = process.env
  return REDIS_URL ? borrowRedis(REDIS_URL) : startOwnRedis()
}

/** Gives each test worker its own database. */
async function borrowRedis(address: string): Promise<Pick<OwnRedis, 'url'>> {
  const url = new URL(address)
  url.pathname = `/${1 + (Number(process.env['VITEST_POOL_ID'] ?? 0) % 15)}`
  // Without retries, an unreachable Redis is an error at once.
  const redis = new Redis(url.href, { lazyConnect: true, connectTimeout: 10_000, retryStrategy: () => null })
  await redis.connect()
  await redis.flushdb()
  redis.disconnect()
  return { url: url.href }
}
