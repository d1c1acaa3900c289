import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { openCatalog, type Catalog, type NewVersion } from '@packs/catalog'

/** A running `pack serve` with its own catalog. */
export interface Server {
  readonly origin: string
  readonly catalog: Catalog
  /** Returns everything logged so far. */
  readonly log: () => string
  stop(): Promise<void>
}

const launcher = fileURLToPath(new URL('../../../cli/bin/pack.js', import.meta.url))

/**
 * Starts `pack serve` on a free port. It trusts `X-Forwarded-For`, so that tests can choose client addresses.
 *
 * @param variables of its environment, in addition to those of this process
 */
export async function startServer(
  versions: readonly NewVersion[],
  variables: Readonly<Record<string, string>> = {},
): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), 'packs-pages-'))
  const catalog = await openCatalog({ url: join(folder, 'catalog.sqlite') })
  if (versions.length > 0) await catalog.packs.commit(versions)
  const { VITEST: _vitest, DATABASE_URL: _database, REDIS_URL: _redis, ...env } = process.env
  const options = ['serve', '--json', '--port', '0', '--data', folder, '--trust-proxy', '127.0.0.1']
  const child = spawn(process.execPath, [launcher, ...options], {
    env: { ...env, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let log = ''
  child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()))
  const ended = once(child, 'exit')
  const line = await Promise.race([
    readDocument(child.stdout),
    ended.then(() => Promise.reject(new Error(`pack serve ended: ${log}`))),
  ])
  const { url } = JSON.parse(line) as { url: string }
  return {
    origin: url,
    catalog,
    log: () => log,
    async stop() {
      child.kill('SIGTERM')
      await ended
      await catalog.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Reads lines until they form a JSON document. */
async function readDocument(stream: NodeJS.ReadableStream): Promise<string> {
  let text = ''
  for await (const line of createInterface(stream)) {
    text += `${line}\n`
    if (line === '}' || /^\{.*\}$/.test(line)) return text
  }
  return text
}
