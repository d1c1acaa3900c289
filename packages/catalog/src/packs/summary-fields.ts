import { packFields, type Pack } from '@packs/codec/pack'
import type { PackSummary } from '../types.ts'

/** The part of a summary stored as one. Times and signatures come from the rows of version and pack. */
export type StoredSummary = Omit<PackSummary, 'published_at' | 'updated_at' | 'signatures'>

/** Fields of a document that its summary lacks: long texts, what only readers of the whole document need, and what is stored beside it. */
export const documentOnlyFields: Readonly<Record<Exclude<keyof Pack, keyof StoredSummary>, true>> = {
  content: true,
  rosetta: true,
  preview_content: true,
  metadata: true,
  glossary: true,
  code: true,
  front_matter: true,
  signatures: true,
}

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
