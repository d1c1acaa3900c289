import { spawn, type ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** A server in a process of its own. */
export interface BenchServer {
  readonly url: string
  /** Returns the processor time in seconds and the memory in bytes of the process. */
  readUsage(): Promise<{ readonly cpuSeconds: number; readonly memory: number }>
  stop(): Promise<void>
}

/** Starts `pack serve` on a catalog as in production, with logs, metrics and health. */
export async function startServer(
  root: string,
  data: string,
  redisUrl: string | undefined,
  databaseUrl?: string,
): Promise<BenchServer> {
  const { DATABASE_URL: _database, REDIS_URL: _redis, ...environment } = process.env
  const program = join(root, 'packages/cli/bin/pack.js')
  const args = [program, 'serve', '--json', '--port', '0', '--data', data]
  const env = {
    ...environment,
    ...(redisUrl !== undefined && { REDIS_URL: redisUrl }),
    ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
  }
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'ignore'] })
  const started = JSON.parse(await readUntil(child, '}')) as { url: string; error?: { message: string } }
  if (started.error) throw new Error(`pack serve does not start: ${started.error.message}`)
  const { url } = started
  const token = readFileSync(join(data, 'operator-token'), 'utf8').trim()
  return {
    url,
    async readUsage() {
      const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } })
      const text = await response.text()
      const read = (name: string): number => Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1])
      return { cpuSeconds: read('process_cpu_seconds_total'), memory: read('process_resident_memory_bytes') }
    },
    stop: () => stop(child),
  }
}

/** Starts a bare node:http server that sends the same bytes and header fields for every request. */
export async function startBareServer(root: string, response: Response, body: Buffer): Promise<BenchServer> {
  const child = spawn(process.execPath, [join(root, 'bench/api/bare-server.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const own = new Set(['date', 'connection', 'keep-alive'])
  const headers = Object.fromEntries([...response.headers].filter(([name]) => !own.has(name)))
  child.stdin?.end(JSON.stringify({ headers, body: body.toString('base64') }))
  const url = (await readUntil(child, '\n')).trim()
  return {
    url,
    readUsage: async () =>
      (await fetch(`${url}/usage`)).json() as Promise<{ cpuSeconds: number; memory: number }>,
    stop: () => stop(child),
  }
}

async function readUntil(child: ChildProcess, end: string): Promise<string> {
  let text = ''
  for await (const line of createInterface({ input: child.stdout! })) {
    text += line
    if (end === '\n' || line === end) return text
  }
  throw new Error('A server ended before it served')
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await ended
}
