export { createPackHandler, type PackHandler, type RequestServer } from './http.ts'
export { createPackServer, type PackServerOptions } from './pack-server.ts'
export {
  createClientSource,
  type DecodedPack,
  describeSection,
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
  type TokenizerLoader,
} from '@packs/client/agent-tools'
export { createMemorySource } from './memory-source.ts'
