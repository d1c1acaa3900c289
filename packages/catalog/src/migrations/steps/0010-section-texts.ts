import { createTextTable } from '../../search-index/create-index-tables.ts'
import type { Migration } from './migration.ts'

/**
 * Texts of the sections of indexed versions, filled while the catalog is in use, by `indexWaiting`.
 * Older programs leave those of versions that they replace, until the pack changes again.
 */
export const createSectionTexts: Migration = {
  name: '0010-section-texts',
  olderMayContinue: true,
  up: (transaction, { dialect }) => createTextTable(transaction, dialect),
}
