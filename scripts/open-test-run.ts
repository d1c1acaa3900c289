import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServer } from '../packages/catalog/test/postgres-server.ts'

/**
 * Creates the folder that the processes of a test run share, and starts Postgres for all of them when the first asks. Both are
 * removed after the run. The processes share compiled modules too.
 */
// oxlint-disable-next-line import/no-default-export -- vitest loads this file by its default export
export default async function openTestRun(): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'packs-test-run-'))
  process.env['PACKS_TEST_RUN'] = folder
  // Programs start hundreds of times, some from source, and a module whose types must be stripped takes long to load.
  process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'node-compile-cache')
  let postgres: ReturnType<typeof startServer> | undefined
  const servers = await serve(async () => (await (postgres ??= startServer())).url)
  process.env['PACKS_TEST_SERVERS'] = `http://127.0.0.1:${(servers.address() as AddressInfo).port}`
  return async () => {
    servers.close()
    await postgres?.then(
      (server) => server.stop(),
      () => undefined,
    )
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Answers every request with a text, or with the message of the error. */
async function serve(answer: () => Promise<string>): Promise<Server> {
  const server = createServer((_request, response) => {
    response.setHeader('connection', 'close')
    answer().then(
      (text) => response.end(text),
      (error: Error) => response.writeHead(500).end(error.message),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}
