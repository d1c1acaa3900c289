import { serveCatalogTasks } from '@packs/catalog'
import { readDocument } from './read-document.ts'

serveCatalogTasks(readDocument)
