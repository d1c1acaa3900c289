import { loadOnce } from '@packs/codec/internal'
import { serveTasks } from '@packs/threads'
import { type Catalog, openCatalog } from '../open-catalog.ts'
import type { CatalogRequest, CatalogWork } from './create-catalog-thread.ts'

/** Requests go first. A higher value would leave no time on a busy machine. */
const NICENESS = 5

let open: (() => Promise<Catalog>) | undefined

serveTasks(async ({ url, module, task }: CatalogRequest) => {
  const { work } = (await import(module)) as { readonly work: CatalogWork<unknown, unknown> }
  open ??= loadOnce(() => openCatalog({ url, readOnly: true }))
  return work(await open(), task)
}, NICENESS)
