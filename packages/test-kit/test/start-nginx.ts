import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { randomInt } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findProgram } from './find-program.ts'
import { limitStart, startProgram, stopProgram } from './start-program.ts'

export interface OwnNginx {
  readonly url: string
  /** Folder of what it has cached. */
  readonly cache: string
  stop(): Promise<void>
}

const CONFIGURATION = fileURLToPath(new URL('../../../docs/operations/nginx.conf', import.meta.url))

/**
 * Starts nginx with the configuration of the documentation before some servers on this machine.
 *
 * @param ports of the servers
 * @param change rewrites the configuration
 * @throws Error with instructions if there is no nginx and none can be installed
 */
export async function startNginx(
  ports: readonly number[],
  change: (configuration: string) => string = (configuration) => configuration,
): Promise<OwnNginx> {
  const program = findProgram(['nginx'], 'nginx')
  if (program === undefined) throw new Error('The tests of caches need nginx on PATH.')
  const folder = mkdtempSync(join(tmpdir(), 'nginx-test-'))
  const cache = join(folder, 'cache')
  const servers = ports.map((port) => `  server 127.0.0.1:${port};\n`).join('')
  for (;;) {
    const port = randomInt(10_000, 22_000)
    const site = change(readFileSync(CONFIGURATION, 'utf8'))
      .replace('/var/cache/nginx/packs', cache)
      .replace(/(?: {2}server [\d.:]+;\n)+/, servers)
      .replace('listen 80;', `listen 127.0.0.1:${port};`)
      .replace('Host $host;', 'Host $http_host;')
    writeFileSync(join(folder, 'site.conf'), site)
    writeFileSync(join(folder, 'nginx.conf'), frame(folder))
    const args = ['-c', join(folder, 'nginx.conf'), '-p', folder, '-e', 'stderr']
    const options = { ready: /start worker processes/, signal: limitStart() }
    const started = await startProgram(program, args, options).catch((error: unknown) => {
      if (!String(error).includes('Address already in use')) throw error
      return undefined
    })
    if (started === undefined) continue
    const stop = async (): Promise<void> => {
      await stopProgram(started, 'SIGQUIT')
      rmSync(folder, { recursive: true, force: true })
    }
    return { url: `http://127.0.0.1:${port}`, cache, stop }
  }
}

function frame(folder: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const paths = temporary.map((name) => `${name}_temp_path ${join(folder, name)};\n`).join('')
  const user = process.getuid?.() === 0 ? 'user root;\n' : ''
  return `${user}daemon off;\nworker_processes 1;\npid ${join(folder, 'pid')};\nerror_log stderr notice;
events { worker_connections 512; }\nhttp {\naccess_log off;\n${paths}include ${join(folder, 'site.conf')};\n}\n`
}
