// `pnpm bench:api`: compares the running API with a bare node:http server that sends the same bytes; saves in bench/results.
import { mkdtempSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startRedis } from '../packages/publisher/test/start-redis.ts'
import { fillCatalog } from './api/fill-catalog.ts'
import { formatApi } from './api/format-api.ts'
import { measureDownloads } from './api/measure-downloads.ts'
import { measureRequests, type ApiFigures } from './api/measure-requests.ts'
import { measureVisitors } from './api/measure-visitors.ts'
import { startServer } from './api/start-servers.ts'
import { describeMachine } from './results.ts'

const { values: flags } = parseArgs({ options: { quick: { type: 'boolean', default: false } } })
const sizes = flags.quick ? [1000] : [10_000, 100_000]
const seconds = flags.quick ? 2 : 3

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'packs-bench-'))
const redis = await startRedis()
try {
  const figures: ApiFigures[] = []
  const downloads = []
  for (const size of sizes) {
    const data = join(folder, String(size))
    const key = await fillCatalog(root, data, size)
    for (const quota of ['embedded', 'Redis'] as const) {
      const api = await startServer(root, data, quota === 'Redis' ? redis.url : undefined)
      try {
        figures.push(...(await measureRequests(root, api, { key, size, quota, seconds })))
        if (quota === 'embedded')
          downloads.push(await measureDownloads(api, key, size, flags.quick ? 20 : 200))
      } finally {
        await api.stop()
      }
    }
  }
  const visitors = await measureVisitors(root, flags.quick ? 1 : 3, 4)
  const results = { machine: describeMachine(), load: loadavg()[1] ?? 0, figures, downloads, visitors }
  const report = formatApi(results)
  process.stdout.write(report)
  if (!flags.quick) {
    await writeFile(join(root, 'bench/results/api.json'), `${JSON.stringify(results, null, 2)}\n`)
    await writeFile(join(root, 'bench/results/api.md'), report)
  }
} finally {
  await redis.stop()
  rmSync(folder, { recursive: true, force: true })
}
