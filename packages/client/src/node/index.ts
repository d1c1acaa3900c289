export { errorAdvice } from '../error-advice.ts'
export { findConflict } from '../lock.ts'
export {
  createCacheEntries,
  createFolderCache,
  type CacheEntries,
  type CacheRules,
  type FolderCache,
  type FolderCacheOptions,
} from './folder-cache.ts'
export { readLock, requireLock, updateLock, writeLock } from './lock-file.ts'
