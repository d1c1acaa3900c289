import type { CatalogWork } from '../threads/create-catalog-thread.ts'
import { createSectionWork, type SectionResult, type SectionTask } from './section-tasks.ts'

/** Decoded packs that the thread keeps. */
const MAX_BYTES = 128 * 1024 * 1024

/** The work of the thread. */
export const work: CatalogWork<SectionTask, SectionResult> = createSectionWork(MAX_BYTES)
