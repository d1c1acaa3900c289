// For the packages of this repository, without semver.
export { createDocs } from './create-docs.ts'
export * from './docs/memory-source.ts'
export { describeSection } from './docs/open-pack.ts'
export {
  describeHit,
  type DocsSource,
  findQuestionFault,
  MAX_OUTLINE,
  type OpenedPack,
  packNotFoundError,
  type SectionPart,
  SourceError,
  type TokenizerLoader,
} from './docs/source.ts'
export { openClientDocs } from './open-docs.ts'
export { assembleClient, type CatalogClient } from './create-client.ts'
export { defaultPorts } from './requests/send-request.ts'
export { createPublisher, type Publish } from './requests/create-publisher.ts'
export type { DecodedPack } from './packs/decode-pack.ts'
export type { CallQuota } from './tools/answer.ts'
export { createTools, describeDocs, type ToolOptions } from './tools/create-tools.ts'
