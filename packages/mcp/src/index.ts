export {
  createPackHandler,
  createPackServer,
  type PackHandler,
  type PackServerOptions,
  type RequestServer,
} from './pack-server.ts'
export * from './stdio.ts'
