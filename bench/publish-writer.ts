// Child process of publish.ts: publishes small notes, one after the other, with the packages of a checkout, and writes the
// milliseconds of each when it has published so many or its standard input ends.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type * as Catalog from '@packs/catalog'
import type * as Publisher from '@packs/publisher'

const [program = '', url = '', name = '', count = '0'] = process.argv.slice(2)
const load = (path: string): Promise<unknown> => import(pathToFileURL(join(program, path)).href)
const { openCatalog } = (await load('packages/catalog/dist/index.js')) as typeof Catalog
const { createInProcessRunner, readSource } = (await load(
  'packages/publisher/dist/index.js',
)) as typeof Publisher

let isEnded = false
process.stdin.resume().once('end', () => (isEnded = true))
const catalog = await openCatalog({ url })
const runner = createInProcessRunner(catalog)
const times: number[] = []
// The first one starts the thread that builds.
for (let at = -1; at < Number(count) && !isEnded; at++) {
  const bytes = Buffer.from(
    `---\nslug: ${name}-${at + 1}\ntitle: Note\ndomain: Writer\n---\n# Note\n\nLine ${at}.\n`,
  )
  const request = {
    ...readSource({ bytes, path: `${name}-${at + 1}.md` }),
    actor: { kind: 'system', id: 'bench' } as const,
  }
  const begin = performance.now()
  const [result] = await runner.publish([request])
  if (result?.status !== 'published') throw new Error(JSON.stringify(result))
  if (at >= 0) times.push(performance.now() - begin)
}
await catalog.close()
process.stdout.write(JSON.stringify(times))
process.exit()
