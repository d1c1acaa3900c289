import { execFileSync } from 'node:child_process'
import Sqlite from 'better-sqlite3'
import pg from 'pg'

/** Takes the commit lock of a SQLite file and returns a function that releases it. */
export function holdSqliteLock(path: string): () => void {
  // Uses the catalog's own library: a second one in the process would drop its locks when closing the file.
  const connection = new Sqlite(path)
  connection.exec('begin immediate')
  return () => void connection.close()
}

/** An open transaction in Postgres. */
export interface HeldTransaction {
  /** Runs a query on another connection. */
  ask(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>
  release(): Promise<void>
}

/** Runs SQL in a Postgres transaction and keeps it open, with its locks. */
export async function holdTransaction(url: string, sql: string): Promise<HeldTransaction> {
  const holder = new pg.Client({ connectionString: url })
  const asker = new pg.Client({ connectionString: url })
  // The test may stop the server while these are connected.
  for (const client of [holder, asker]) client.on('error', () => undefined)
  await holder.connect()
  await asker.connect()
  await holder.query(`begin; ${sql}`)
  return {
    ask: async (question) => (await asker.query<Record<string, unknown>>(question)).rows,
    async release() {
      await holder.end()
      await asker.end()
    },
  }
}

/**
 * Stops all processes of a Postgres server (SIGSTOP), so that it keeps its connections and answers nothing. Returns the function
 * that lets them continue.
 */
export async function freezePostgres(url: string): Promise<() => void> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  const { rows } = await client.query<{ file: string }>(`select pg_read_file('postmaster.pid') as file`)
  await client.end()
  const parent = Number.parseInt(rows[0]!.file, 10)
  // The parent first, so that it starts no more children.
  process.kill(parent, 'SIGSTOP')
  const children = execFileSync('pgrep', ['-P', String(parent)], { encoding: 'utf8' })
  const pids = [parent, ...children.trim().split('\n').map(Number)]
  for (const pid of pids) signal(pid, 'SIGSTOP')
  return () => {
    for (const pid of pids) signal(pid, 'SIGCONT')
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // The session of the client above has ended meanwhile.
  }
}
