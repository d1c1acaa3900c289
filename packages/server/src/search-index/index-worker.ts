import module from 'node:module'
import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import type { Catalog } from '@packs/catalog'
import type { PartResponse } from './create-index-thread.ts'

/** The thread that answers requests goes first. Only Linux has a priority for each thread. */
const NICENESS = 10

// A thread does not inherit the cache of compiled modules.
module.enableCompileCache?.()
if (process.platform === 'linux') setPriority(NICENESS)
const { CatalogError, openCatalog } = await import('@packs/catalog')
const { indexPart } = await import('./index-part.ts')

let opened: Promise<Catalog> | undefined

parentPort?.on('message', (url: string) => {
  void indexNext(url).then((response) => parentPort?.postMessage(response))
})

async function indexNext(url: string): Promise<PartResponse> {
  try {
    opened ??= openCatalog({ url })
    return { run: await indexPart(await opened) }
  } catch (error) {
    await opened?.then((catalog) => catalog.close()).catch(() => undefined)
    opened = undefined
    return { code: error instanceof CatalogError ? error.code : 'internal' }
  }
}
