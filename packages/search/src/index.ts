export {
  describePack,
  isSectionTerm,
  listTitleWords,
  type DescribedPack,
  type Entry,
  type SearchedPack,
  type SearchedSection,
} from './entries/describe-pack.ts'
export {
  decodeVector,
  encodeVector,
  INDEX_FORMAT,
  listKeyTerms,
  type Occurrence,
  type Vector,
} from './entries/vector.ts'
export { foldWord, isBetterWord, isFullTerm, type ReadingScope } from './analysis/terms.ts'
export * from './context/compose-context.ts'
export type * from './context/types.ts'
export { frameTexts } from './context/choose-passages.ts'
export { createMemoryStore, openIndex, type TextIndex } from './open-index.ts'
export { checkQuery, listPhrases, MAX_PHRASES, MAX_QUERY } from './query/parse-query.ts'
export { type Field } from './ranking/score-entry.ts'
export * from './search.ts'
export type * from './store.ts'
export {
  listReadSections,
  matchText,
  type PackText,
  type TextMatch,
  type TextRequest,
} from './text/match-text.ts'
export { indexTexts, type IndexedPack, type IndexedText, type TextPack } from './write-index.ts'
