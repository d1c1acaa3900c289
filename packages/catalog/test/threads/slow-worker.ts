import { serveCatalogTasks } from '@packs/catalog'
import { work } from './slow-work.ts'

serveCatalogTasks(work)
