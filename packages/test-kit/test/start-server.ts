import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { openCatalog, type Catalog, type NewVersion } from '@packs/catalog'
import { closeLater } from './close-later.ts'
import { makeFolder, startPack, type RunOptions } from './run-pack.ts'

/** A running `pack serve` in a child process. */
export interface TestServer {
  readonly url: string
  /** Port that it listens on, even if its URL names another. */
  readonly port: number
  /** Of `--admin-port`. */
  readonly adminPort: number | null
  readonly process: ChildProcess
  /** The lines that it has logged so far. */
  readonly log: string[]
  /** Sends a signal and returns the exit status, or the signal that ended the process. */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null>
}

/** A running `pack serve` with its own catalog. */
export interface CatalogServer extends TestServer {
  readonly catalog: Catalog
}

/** Starts a server with a catalog of its own. It trusts `X-Forwarded-For`, so that they can choose client addresses. */
export async function startCatalogServer(
  versions: readonly NewVersion[],
  variables: Readonly<Record<string, string>> = {},
): Promise<CatalogServer> {
  const folder = makeFolder()
  const catalog = await openCatalog({ url: join(folder, 'catalog.sqlite') })
  if (versions.length > 0) await catalog.packs.commit(versions)
  const env = { DATABASE_URL: undefined, REDIS_URL: undefined, ...variables }
  const server = await startServer(['--data', folder, '--trust-proxy', '127.0.0.1'], env)
  closeLater(async () => {
    await server.end('SIGTERM')
    await catalog.close()
  })
  return { ...server, catalog }
}

/** Servers with Postgres need one. */
const SECRET = 'a-secret-of-thirty-two-letters-and-more'

/** Starts the program on a free port; it is killed when the test ends or, outside of tests, those of the file. */
export async function startServer(
  args: readonly string[],
  env: RunOptions['env'] & object = {},
): Promise<TestServer> {
  const child = startPack(['serve', '--port', '0', '--json', ...args], {
    env: { PACK_SECRET: SECRET, ...env },
  })
  closeLater(() => child.kill('SIGKILL'))
  const log: string[] = []
  createInterface({ input: child.stderr! }).on('line', (line) => log.push(line))
  let text = ''
  for await (const line of createInterface({ input: child.stdout! })) {
    text += line
    if (line === '}') break
  }
  if (text === '') throw new Error(`pack serve did not start: ${log.join('\n')}`)
  type Address = { url: string; port: number; admin_port: number | null }
  const { url, port, admin_port: adminPort } = JSON.parse(text) as Address
  return {
    url,
    port,
    adminPort,
    process: child,
    log,
    async end(signal) {
      const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>
      child.kill(signal)
      const [status, by] = await ended
      return status ?? by
    },
  }
}
