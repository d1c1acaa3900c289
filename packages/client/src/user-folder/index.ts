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
} from './open-user-folder.ts'
export { isRealFolder, readFile, writePrivately } from './private-files.ts'
