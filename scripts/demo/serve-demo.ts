import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** The demo's server. */
export interface DemoServer {
  readonly url: string
  /** Exit status, when it has ended. */
  readonly ended: Promise<number>
}

export const FIRST_PORT = 8080
const PORTS = 50

/** Serves the catalog of a folder on the first free port from 8080 up, until this program is asked to end. */
export async function serveDemo(root: string, folder: string): Promise<DemoServer> {
  for (let port = FIRST_PORT; port < FIRST_PORT + PORTS; port++) {
    const server = startServer(root, folder, port)
    const answer = await readAnswer(server)
    if (answer.ok) return { url: answer.url, ended: endTogether(server) }
    if (answer.error.code !== 'address_in_use')
      throw new Error(`${answer.error.message}: ${answer.error.hint}`)
  }
  throw new Error(`Every port from ${FIRST_PORT} to ${FIRST_PORT + PORTS - 1} is taken`)
}

/** Removes settings from the environment that belong to other catalogs. */
function startServer(root: string, folder: string, port: number): ChildProcess {
  const { DATABASE_URL: _database, REDIS_URL: _redis, PACK_DATA: _data, ...environment } = process.env
  const program = join(root, 'packages', 'cli', 'bin', 'pack.js')
  const log = openSync(join(folder, 'server.log'), 'a', 0o600)
  const args = [program, 'serve', '--json', '--host', '127.0.0.1', '--port', String(port), '--data', folder]
  const server = spawn(process.execPath, args, {
    cwd: root,
    env: environment,
    stdio: ['ignore', 'pipe', log],
  })
  closeSync(log)
  return server
}

type Answer =
  | { readonly ok: true; readonly url: string }
  | {
      readonly ok: false
      readonly error: { readonly code: string; readonly message: string; readonly hint: string }
    }

/** Reads the JSON document that the program prints: its address, or the reason why it does not serve. */
async function readAnswer(server: ChildProcess): Promise<Answer> {
  let text = ''
  for await (const line of createInterface({ input: server.stdout! })) {
    text += line
    if (line === '}') return JSON.parse(text) as Answer
  }
  throw new Error('The server ended before it was ready; see its log')
}

/** Ends the server with this program: on a signal, or when the parent process has ended. */
async function endTogether(server: ChildProcess): Promise<number> {
  const parent = process.ppid
  const end = (): void => void server.kill('SIGTERM')
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end)
  const watch = setInterval(() => process.ppid !== parent && end(), 500)
  const status = await new Promise<number | null>((resolve) => server.once('exit', resolve))
  clearInterval(watch)
  return status ?? 1
}
