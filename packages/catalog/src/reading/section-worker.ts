import { serveCatalogTasks } from '../threads/serve-catalog-tasks.ts'
import { createSectionWork } from './section-tasks.ts'

/** Decoded packs that the thread keeps. */
const MAX_BYTES = 128 * 1024 * 1024

serveCatalogTasks(createSectionWork(MAX_BYTES))
