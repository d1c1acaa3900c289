import module from 'node:module'
import type { Catalog, IndexRun } from '@packs/catalog'
import { lowerPriority, serveTasks } from '@packs/threads'

/** The thread that answers requests has priority. */
const NICENESS = 10

// A thread does not inherit the cache of compiled modules.
module.enableCompileCache?.()
lowerPriority(NICENESS)
const { openCatalog } = await import('@packs/catalog')
const { indexPart } = await import('./index-part.ts')

let opened: Promise<Catalog> | undefined

serveTasks(async (url: string): Promise<IndexRun> => {
  try {
    opened ??= openCatalog({ url })
    return await indexPart(await opened)
  } catch (error) {
    await opened?.then((catalog) => catalog.close()).catch(() => undefined)
    opened = undefined
    throw error
  }
})
