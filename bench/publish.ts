// `pnpm bench:publish`: measures publishing in process and through the queue, with both databases; saved in bench/results.
import { mkdtempSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startPostgres } from '../packages/catalog/test/start-postgres.ts'
import { startOwnRedis } from '../packages/publisher/test/start-own-redis.ts'
import { openPostgresYardstick, openSqliteYardstick } from './catalog/open-yardsticks.ts'
import { formatPublish } from './publish/format-publish.ts'
import { createSourceKinds } from './publish/make-sources.ts'
import { measureEmbedded, type BenchDatabase, type EmbeddedFigures } from './publish/measure-embedded.ts'
import { measureQueue, type QueueFigures } from './publish/measure-queue.ts'
import { describeMachine } from './results.ts'

const { values: flags } = parseArgs({ options: { quick: { type: 'boolean', default: false } } })
const root = fileURLToPath(new URL('..', import.meta.url))
const kinds = createSourceKinds(root, flags.quick)
const folder = mkdtempSync(join(tmpdir(), 'packs-bench-'))
const redis = await startOwnRedis(['--appendonly', 'yes', '--appendfsync', 'everysec'])
const server = await startPostgres()
try {
  const path = join(folder, 'catalog.sqlite')
  const url = await server.createDatabase()
  const databases: BenchDatabase[] = [
    { name: 'SQLite', url: path, measureSize: () => measureSize(openSqliteYardstick(path)) },
    { name: 'Postgres', url, measureSize: async () => measureSize(await openPostgresYardstick(url)) },
  ]
  const embedded: EmbeddedFigures[] = []
  const queued: QueueFigures[] = []
  for (const database of databases) {
    embedded.push(...(await measureEmbedded(database, kinds)))
    queued.push(...(await measureQueue(database, kinds, redis.url, availableParallelism())))
  }
  const machine = describeMachine()
  const load = loadavg()[1] ?? 0
  const report = formatPublish(machine, load, embedded, queued)
  process.stdout.write(report)
  if (!flags.quick) {
    const results = join(root, 'bench/results')
    const figures = { machine, load, embedded, queued }
    await writeFile(join(results, 'publish.json'), `${JSON.stringify(figures, null, 2)}\n`)
    await writeFile(join(results, 'publish.md'), report)
  }
} finally {
  await server.stop()
  await redis.stop()
  rmSync(folder, { recursive: true, force: true })
}

async function measureSize(yardstick: ReturnType<typeof openSqliteYardstick>): Promise<number> {
  const bytes = await yardstick.measureSize()
  await yardstick.close()
  return bytes
}
