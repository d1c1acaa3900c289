import { serveCatalogTasks } from '@packs/catalog'
import { projectDocuments } from './project-documents.ts'

serveCatalogTasks(projectDocuments)
