export { createPackServer, type PackServerOptions } from './pack-server.ts'
export {
  MAX_OUTLINE,
  noMatchingVersionError,
  packNotFoundError,
  SourceError,
  type OpenedPack,
  type OutlineEntry,
  type PackIdentity,
  type PackOutline,
  type PackPage,
  type PackSource,
  type SearchOptions,
  type SectionHit,
  type SectionPart,
  type SourceErrorCode,
} from './pack-source.ts'
export { createClientSource } from './sources/client-source.ts'
export { type DecodedPack, type TokenizerLoader } from './sources/memory-pack.ts'
export { createMemorySource } from './sources/memory-source.ts'
