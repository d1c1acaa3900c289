import { execFileSync } from 'node:child_process'
import pg from 'pg'

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
