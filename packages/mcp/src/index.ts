export { createPackHandler, type PackHandler, type RequestServer } from './http.ts'
export { createPackServer, type PackServerOptions } from './pack-server.ts'
export * from '@packs/client/agent-tools'
export { createMemorySource, describeContext } from './memory-source.ts'
