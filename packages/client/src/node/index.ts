export { createFolderCache, type FolderCache, type FolderCacheOptions } from './folder-cache.ts'
export { readLock, requireLock, updateLock, writeLock } from './lock-file.ts'
