import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type BuildOptions, type Plugin } from 'esbuild'
import type { TestProject } from 'vitest/node'
import { startServer } from '../packages/test-kit/test/postgres-server.ts'

/**
 * Creates the folder that the processes of a test run share, and starts Postgres for all of them when the first asks. Both are
 * removed after the run. The processes share compiled modules too.
 */
// oxlint-disable-next-line import/no-default-export -- vitest loads this file by its default export
export default async function openTestRun({ config }: TestProject): Promise<() => Promise<void>> {
  // While a run watches, the sources change.
  const workers = config.watch ? undefined : await bundleWorkers()
  const folder = mkdtempSync(join(tmpdir(), 'packs-test-run-'))
  process.env['PACKS_TEST_RUN'] = folder
  // A test that is about GitHub Actions sets it.
  delete process.env['GITHUB_ACTIONS']
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
    for (const made of [folder, workers])
      if (made !== undefined) rmSync(made, { recursive: true, force: true })
  }
}

/** Modules that tests run in threads and processes of their own. */
const WORKERS = [
  ...['commit-forever', 'sweep-and-hang', 'take-quota'].map(
    (name) => `packages/catalog/test/processes/${name}`,
  ),
  'packages/cli/src/build-run/build-worker',
  'packages/cli/src/config/config-worker',
  'packages/cli/src/inspect/inspect-worker',
  'packages/publisher/src/build-thread/build-worker',
  'packages/publisher/src/publish-process/publish-worker',
  'packages/publisher/src/queue/processor',
  'packages/publisher/test/processes/publish-and-die',
  'packages/web/src/rendering/render-worker',
]
/** The thread of a catalog and what it runs, which share their modules. */
const CATALOG_WORK = [
  'packages/api/src/routes/pack-responses',
  'packages/catalog/src/reading/catalog-worker',
  'packages/catalog/src/reading/section-tasks',
  'packages/web/src/documents/compare-versions',
  'packages/web/src/documents/read-document',
]
/** What their bundles look for beside them. */
const BESIDE = {
  'packages/cli/src/config/index': 'packages/cli/src/index.ts',
  'packages/publisher/src/queue/build-worker': 'packages/publisher/src/build-thread/build-worker.ts',
  'packages/publisher/src/publish-process/build-worker':
    'packages/publisher/src/build-thread/build-worker.ts',
  'packages/publisher/test/processes/build-worker': 'packages/publisher/src/build-thread/build-worker.ts',
}

type Entry = { readonly in: string; readonly out: string }

/**
 * Bundles these modules, because a bundle loads three to six times as fast as hundreds of modules whose types must be stripped
 * (`use-bundled-workers.ts`). Returns the folder.
 */
async function bundleWorkers(): Promise<string> {
  const root = join(import.meta.dirname, '..')
  // Here the bundles find the packages of the workspace.
  const folder = mkdtempSync(join(root, 'node_modules', '.packs-workers-'))
  const options: BuildOptions = {
    absWorkingDir: root,
    outdir: folder,
    bundle: true,
    format: 'esm',
    outExtension: { '.js': '.mjs' },
    platform: 'node',
    conditions: ['source'],
    plugins: [keepPackages],
    banner: {
      js: "import { createRequire as makeRequire } from 'node:module'\nconst require = makeRequire(import.meta.url)",
    },
    logLevel: 'warning',
  }
  const list = (paths: readonly string[]): Entry[] => paths.map((out) => ({ in: `${out}.ts`, out }))
  const beside = Object.entries(BESIDE).map(([out, path]) => ({ in: path, out }))
  await Promise.all([
    build({ ...options, entryPoints: [...list(WORKERS), ...beside] }),
    build({ ...options, entryPoints: list(CATALOG_WORK), splitting: true }),
  ])
  process.env['PACKS_TEST_WORKERS'] = folder
  return folder
}

/** Packages that load files of their own stay where they are. */
const keepPackages: Plugin = {
  name: 'keep-packages',
  setup(build) {
    build.onResolve(
      { filter: /^(?:better-sqlite3|bullmq|gpt-tokenizer|ioredis|jiti|pg)(?:\/|$)/ },
      async ({ path: name, kind, resolveDir, pluginData }) => {
        if (pluginData === 'found') return undefined
        const { path } = await build.resolve(name, { kind, resolveDir, pluginData: 'found' })
        return { path: pathToFileURL(path).href, external: true }
      },
    )
  },
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
