import { lowerPriority, serveTasks } from '@packs/threads'
import { type Catalog, openCatalog } from '../open-catalog.ts'
import type { CatalogRequest, CatalogWork } from './create-catalog-thread.ts'

/** Requests go first. A higher value would leave no time on a busy machine. */
const NICENESS = 5

let opened: Promise<Catalog> | undefined

lowerPriority(NICENESS)
serveTasks(async ({ url, module, task }: CatalogRequest) => {
  const { work } = (await import(module)) as { readonly work: CatalogWork<unknown, unknown> }
  opened ??= openCatalog({ url, readOnly: true })
  return work(await opened.catch(forget), task)
})

/** The next task tries to open the catalog again. */
function forget(error: unknown): never {
  opened = undefined
  throw error
}
