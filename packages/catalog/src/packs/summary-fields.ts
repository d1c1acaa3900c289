import { packFields, type Pack } from '@packs/codec/pack'
import { documentOnlyFields, type StoredSummary } from '../types.ts'

const summaryFields = packFields.filter((field) => !(field in documentOnlyFields))

/** Selects the fields of a document that are stored as its summary. A field that the document lacks is absent. */
export function selectSummary(pack: Pack): StoredSummary {
  const fields = summaryFields.filter((field) => pack[field] !== undefined)
  return Object.fromEntries(fields.map((field) => [field, pack[field]])) as unknown as StoredSummary
}

/** Returns the names of the fields that differ between a document and a summary. Lists are compared by their elements. */
export function listSummaryDifferences(pack: Pack, summary: object): string[] {
  const found = new Map<string, unknown>(Object.entries(summary))
  return summaryFields.filter((field) => JSON.stringify(pack[field]) !== JSON.stringify(found.get(field)))
}
