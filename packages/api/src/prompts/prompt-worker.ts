import { serveCatalogTasks } from '@packs/catalog'
import { composeDocuments } from './compose-documents.ts'

serveCatalogTasks(composeDocuments, (result) => ('bytes' in result ? [result.bytes] : []))
