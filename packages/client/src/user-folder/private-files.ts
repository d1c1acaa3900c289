import {
  closeSync,
  constants,
  fstatSync,
  futimesSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'

/** Without another wish, the time of a file of the cache is renewed at most once a day. */
const RENEW_MS = 24 * 60 * 60 * 1000

/** On Windows the last two are undefined, which counts as 0. */
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants

/**
 * Reads a regular file, or returns undefined if that is not possible.
 *
 * @param limit most bytes
 * @param isEntry whether it is a file of the cache: it must not be a link, and its time is renewed
 * @param renewMs age after which the time is renewed
 */
export function readFile(
  path: string,
  limit: number,
  isEntry: boolean,
  renewMs: number = RENEW_MS,
): Buffer | undefined {
  let file: number | undefined
  try {
    file = openSync(path, O_RDONLY | O_NONBLOCK | (isEntry ? O_NOFOLLOW : 0))
    const { size, mtimeMs } = fstatSync(file)
    if (!fstatSync(file).isFile() || size > limit) return undefined
    const data = readFileSync(file)
    if (isEntry && Date.now() - mtimeMs > renewMs) renewTime(file)
    return data
  } catch {
    return undefined
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

/** The cache may be read-only. */
function renewTime(file: number): void {
  try {
    futimesSync(file, new Date(), new Date())
  } catch {
    return
  }
}

/** Tells whether a path is a folder, and not a link to one. */
export function isRealFolder(folder: string): boolean {
  try {
    return lstatSync(folder).isDirectory()
  } catch {
    return false
  }
}

let writes = 0

/** Writes under a temporary name first, so that another build never reads half an entry. */
export function writePrivately(path: string, data: Uint8Array): void {
  const temporary = `${path}.${process.pid}-${writes++}.tmp`
  try {
    writeFileSync(temporary, data, { flag: 'wx', mode: 0o600 })
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}
