export {
  createPrivately,
  findRegularFile,
  readRegularFile,
  replaceFile,
  replacePrivately,
  updateFile,
  type ReadFile,
} from './regular-files.ts'
export {
  ensureHome,
  findExposure,
  findForeignWriter,
  findUserCache,
  makeFolder,
  openUserFolder,
  type CacheEnvironment,
} from './user-folder.ts'
