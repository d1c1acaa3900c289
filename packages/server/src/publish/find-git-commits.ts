import { createHash } from 'node:crypto'
import { basename, dirname } from 'node:path'
import type { Host } from '../host.ts'

const FILES_PER_CALL = 200
const MAX_LISTING_BYTES = 16 * 1024 * 1024

/** A file of the last commit of its repository. */
export interface CommittedFile {
  readonly commit: string
  /** Id of the blob with its bytes. */
  readonly objectId: string
}

/** Finds files in the last commits of their repositories; links, and files that are not in a commit, get none. */
export async function findCommittedFiles(
  { runGit }: Pick<Host, 'runGit'>,
  paths: readonly string[],
): Promise<ReadonlyMap<string, CommittedFile>> {
  const read = (folder: string, args: readonly string[]): Promise<string> =>
    runGit(folder, args, MAX_LISTING_BYTES).then(
      (bytes) => new TextDecoder().decode(bytes),
      () => '',
    )
  const found = new Map<string, CommittedFile>()
  for (const [folder, files] of Map.groupBy(paths, (path) => dirname(path))) {
    const commit = (await read(folder, ['rev-parse', '--verify', 'HEAD'])).trim()
    if (!/^[0-9a-f]{40,64}$/.test(commit)) continue
    for (let at = 0; at < files.length; at += FILES_PER_CALL) {
      const batch = files.slice(at, at + FILES_PER_CALL)
      const names = batch.map((file) => basename(file))
      const lines = (await read(folder, ['ls-tree', '-z', commit, '--', ...names])).split('\0')
      const entries = lines.map((line) => /^100\d{3} blob ([0-9a-f]+)\t(.+)$/s.exec(line))
      const ids = new Map(entries.map((entry) => [entry?.[2], entry?.[1]]))
      for (const file of batch) {
        const objectId = ids.get(basename(file))
        if (objectId !== undefined) found.set(file, { commit, objectId })
      }
    }
  }
  return found
}

/** Tells whether a commit has these bytes. They are hashed as they are: git would run the filters of the repository. */
export function hasBytes({ objectId }: CommittedFile, bytes: Uint8Array): boolean {
  const hash = createHash(objectId.length === 40 ? 'sha1' : 'sha256')
  return hash.update(`blob ${bytes.length}\0`).update(bytes).digest('hex') === objectId
}
