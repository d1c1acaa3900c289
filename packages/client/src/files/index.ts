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
  openClientFolder,
  openPrivateFolder,
  openUserFolder,
  type CacheEnvironment,
  type CheckedFolder,
} from './user-folder.ts'
