export { createCacheEntries, type CacheEntries, type CacheRules } from './cache-entries.ts'
export { createFolderCache, type FolderCache, type FolderCacheOptions } from './folder-cache.ts'
export { readLock, requireLock, updateLock, writeLock } from './lock-file.ts'
