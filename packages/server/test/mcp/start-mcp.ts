import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import {
  Client,
  StreamableHTTPClientTransport,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client'
import { type Account, type Catalog, type Mode, type NewVersion, type Quota, type Tier } from '@packs/catalog'
import { pino } from 'pino'
import { expect } from 'vitest'
import { closeLater } from '../../../test-kit/test/close-later.ts'
import { makeFolder } from '../../../test-kit/test/run-pack.ts'
import { buildVersion } from '../../../test-kit/test/build-version.ts'
import { actor } from '../../../test-kit/test/make-version.ts'
import { sketches } from '../../../mcp/test/sample-packs.ts'
import { composeServer } from '../../src/serve/compose-server.ts'
import { openServerDependencies } from '../../src/serve/open-server-dependencies.ts'

/** A server with the sample packs, on a port of its own. */
export interface TestMcp {
  readonly origin: string
  readonly url: URL
  readonly catalog: Catalog
  readonly pro: string
  /** Lines of the log, parsed. */
  readonly log: Record<string, unknown>[]
  setMode(mode: Mode['mode'], previews?: boolean): void
  /** Returns a key of a new account. */
  addKey(tier: Tier, daily: number | null): Promise<string>
  /** Counts the requests that the account of a key has used. */
  countUsed(key: string): Promise<number>
  connect(key: string, mode?: VersionNegotiationMode): Promise<Client>
  close(): Promise<void>
}

/** The sample packs as versions, in the order of their numbers. */
export async function makeVersions(): Promise<readonly NewVersion[]> {
  const parents = new Map<string, string>()
  const versions: NewVersion[] = []
  for (const sketch of sketches) {
    const { slug, version = '1.0.0' } = sketch
    const parent = parents.get(slug)
    versions.push(await buildVersion({ ...sketch, ...(parent !== undefined && { parent }) }))
    parents.set(slug, version)
  }
  return versions
}

/**
 * Starts the server, until the test ends or, outside of tests, those of the file. It may be closed earlier.
 *
 * @param site origin that clients use. @default that of the server
 * @param createQuota @default that of `pack serve`
 */
export async function startMcp(
  site?: string,
  versions?: readonly NewVersion[],
  createQuota?: (catalog: Catalog) => Quota,
): Promise<TestMcp> {
  const folder = makeFolder()
  const log: Record<string, unknown>[] = []
  const lines = new Writable({
    write(chunk: Buffer, _encoding, done) {
      for (const line of chunk.toString().split('\n'))
        if (line !== '') log.push(JSON.parse(line) as Record<string, unknown>)
      done()
    },
  })
  const logger = pino({}, lines)
  const urls = { databaseUrl: join(folder, 'catalog.sqlite'), redisUrl: undefined }
  const dependencies = await openServerDependencies(urls, 'a secret of thirty-two letters or more', logger)
  const { catalog } = dependencies
  const quota = createQuota?.(catalog) ?? dependencies.quota
  for (const version of versions ?? (await makeVersions())) await catalog.packs.commit([version])
  let mode: Mode = { mode: 'online', since: new Date().toISOString(), message: null, retry_after: null }
  const listen = async (): Promise<{ app: Awaited<ReturnType<typeof composeServer>>; origin: string }> => {
    const port = await findFreePort()
    const origin = `http://127.0.0.1:${port}`
    const app = await composeServer(
      { ...dependencies, quota, mode: { ...dependencies.mode, current: () => mode } },
      {
        origin: site ?? origin,
        trustProxy: ['127.0.0.1'],
        operatorToken: 'operator-token-of-this-test',
        mail: undefined,
        contact: undefined,
        readKeys: () => Promise.resolve(undefined),
        services: { databaseUrl: '', redisUrl: undefined, buildSeconds: 60 },
        toDiagnostic: () => expect.unreachable(),
        log: logger,
        isShuttingDown: () => false,
      },
    )
    try {
      await app.listen({ host: '127.0.0.1', port })
    } catch (error) {
      // Another test took the port after it was found free.
      if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return listen()
      throw error
    }
    return { app, origin }
  }
  const { app, origin } = await listen()
  const url = new URL('/mcp', origin)
  const accounts = new Map<string, Account>()

  const addKey = async (tier: Tier, daily: number | null): Promise<string> => {
    const email = `${tier}-${crypto.randomUUID()}@example.org`
    const { account } = await catalog.accounts.createClaimed({ email, tier, daily, actor }, new Date())
    const { key } = await catalog.keys.create({ accountId: account.id, name: 'test', actor }, new Date())
    accounts.set(key, account)
    return key
  }

  const close = closeLater(async () => {
    await app.close()
    await dependencies.close()
  })
  return {
    origin,
    url,
    catalog,
    log,
    pro: await addKey('pro', 1_000_000),
    setMode: (name, previews) => void (mode = { ...mode, mode: name, previews }),
    addKey,
    countUsed: async (key) => (await quota.peek(accounts.get(key)!, new Date())).used,
    async connect(key, negotiation = 'legacy') {
      const client = new Client(
        { name: 'test', version: '1.0.0' },
        { versionNegotiation: { mode: negotiation } },
      )
      const headers = { authorization: `Bearer ${key}` }
      await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
      closeLater(() => client.close())
      return client
    },
    close,
  }
}

/** A project with a cache of its own, and the server of its catalog. */
export async function startProject(tier: Tier = 'pro') {
  const server = await startMcp()
  const offline = { XDG_CACHE_HOME: makeFolder() }
  const env = { ...offline, PACK_URL: server.origin, PACK_KEY: await server.addKey(tier, 100) }
  return { server, cwd: makeFolder({ 'package.json': '{}' }), env, offline }
}

async function findFreePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
