export { createMemorySource, describeContext } from './memory-source.ts'
export {
  createPackHandler,
  createPackServer,
  type PackHandler,
  type PackServerOptions,
  type RequestServer,
} from './pack-server.ts'
