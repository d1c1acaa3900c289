import { serveCatalogTasks } from '@packs/catalog'
import { composeDocuments } from './compose-documents.ts'

serveCatalogTasks(composeDocuments)
