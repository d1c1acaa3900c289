export * from './regular-files.ts'
export {
  ensureHome,
  findExposure,
  findForeignWriter,
  findUserCache,
  makeFolder,
  openUserFolder,
  type CacheEnvironment,
} from './user-folder.ts'
