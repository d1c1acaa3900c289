import { randomBytes } from 'node:crypto'
import { openCatalog } from '@packs/catalog'
import pg from 'pg'
import { emptyCatalog, prepareToEmpty } from './empty-catalog.ts'
import { findSharedPostgres, type PostgresServer, startServer } from './postgres-server.ts'

/** A real Postgres server: the one at `DATABASE_URL`, or else the one of the test run, or else one of its own. */
export interface TestPostgres {
  /** Creates an empty database and returns its URL. */
  createDatabase(options?: string): Promise<string>
  /** Returns the URL of a database with an empty catalog: one that was given back, or else a copy of a template. */
  createCatalog(): Promise<string>
  /** Takes back a catalog that nobody uses any more. */
  giveBack(url: string): void
  /** Runs SQL in the database with this URL, and returns the rows of one statement. */
  run(url: string, sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>
  /** Kills a server of its own, like a crash. */
  kill(): Promise<void>
  /** Starts it again, with its data. */
  start(): Promise<void>
  /** Drops all created databases, or stops the server with them. That of a test run is stopped after the run. */
  stop(): Promise<void>
}

/** @param own starts a server that no other test uses, so that it can be frozen or stopped */
export async function startPostgres(own = false): Promise<TestPostgres> {
  const given = own ? undefined : process.env['DATABASE_URL']
  const shared = own ? undefined : (given ?? (await findSharedPostgres()))
  const server = shared === undefined ? await startServer() : borrowServer(shared)
  const made: string[] = []
  const free: string[] = []
  let template: Promise<string> | undefined
  const createDatabase = async (options = ''): Promise<string> => {
    const name = `packs_test_${randomBytes(6).toString('hex')}`
    await runSql(server.url, `create database ${name} ${options}`)
    made.push(name)
    return replaceName(server.url, name)
  }
  return {
    createDatabase,
    async createCatalog() {
      for (const url of free.splice(0)) {
        if (await emptyCatalog(url)) return url
      }
      template ??= createTemplate(server.url)
      // Copying files is cheaper than writing them to the log, which no test needs.
      return createDatabase(`template ${await template} strategy file_copy`)
    },
    giveBack: (url) => void free.push(url),
    run: runSql,
    kill: () => server.kill(),
    start: () => server.start(),
    async stop() {
      for (const name of given === undefined ? [] : made) {
        await runSql(server.url, `drop database ${name} with (force)`)
      }
      await server.stop()
    },
  }
}

function borrowServer(url: string): PostgresServer {
  const refuse = (): Promise<void> => Promise.reject(new Error('Others use this server'))
  return { url, kill: refuse, start: refuse, stop: () => Promise.resolve() }
}

const TEMPLATE = 'packs_test_template'

/** Creates the database that catalogs are copied from, unless another process has, and returns its name. */
async function createTemplate(url: string): Promise<string> {
  const client = await connect(url)
  try {
    await client.query(`select pg_advisory_lock(hashtext('${TEMPLATE}'))`)
    const { rowCount } = await client.query(`select 1 from pg_database where datname = '${TEMPLATE}'`)
    if (rowCount !== 0) return TEMPLATE
    const draft = `${TEMPLATE}_draft`
    await client.query(`drop database if exists ${draft}`)
    await client.query(`create database ${draft}`)
    const catalog = await openCatalog({ url: replaceName(url, draft) })
    await catalog.close()
    await prepareToEmpty(replaceName(url, draft))
    await client.query(`alter database ${draft} rename to ${TEMPLATE}`)
    return TEMPLATE
  } finally {
    await client.end()
  }
}

function replaceName(server: string, name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

const CONNECT_MS = 10_000

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS })
  await client.connect()
  return client
}

async function runSql(url: string, sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = await connect(url)
  try {
    return (await client.query(sql)).rows as Readonly<Record<string, unknown>>[]
  } finally {
    await client.end()
  }
}
