export { errorAdvice } from '../error-advice.ts'
export { findConflict } from '../lock.ts'
export {
  createPrivately,
  ensureHome,
  findExposure,
  findForeignWriter,
  findRegularFile,
  findUserCache,
  makeFolder,
  openUserFolder,
  readRegularFile,
  replaceFile,
  replacePrivately,
  updateFile,
  type CacheEnvironment,
  type ReadFile,
} from './files.ts'
export {
  createCacheEntries,
  createFolderCache,
  type CacheEntries,
  type CacheRules,
  type FolderCache,
  type FolderCacheOptions,
} from './folder-cache.ts'
export { readLock, requireLock, updateLock, writeLock } from './lock-file.ts'
