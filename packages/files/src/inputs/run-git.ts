import { execFile, execFileSync } from 'node:child_process'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { fileError, FilesError } from '../files-error.ts'
import { MAX_SOURCE_BYTES } from './read-bounded.ts'

const run = promisify(execFile)

/** No hooks, file system monitor or pager; objects are read as they were committed. */
const SAFE_OPTIONS = [
  '--no-pager',
  '--no-optional-locks',
  '--no-replace-objects',
  '--literal-pathspecs',
  '-c',
  'core.fsmonitor=false',
  '-c',
  'core.hooksPath=/dev/null',
]
/** Missing objects are not fetched: a repository can name a program as the remote. */
const SAFE_ENVIRONMENT = {
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_NO_LAZY_FETCH: '1',
  GIT_TERMINAL_PROMPT: '0',
  LC_ALL: 'C',
}

/**
 * Runs a git command that reads objects, such as `cat-file`, `ls-tree` and `rev-parse`, but no
 * program that the repository's settings or attributes name. Commands that compare the contents of
 * files with the index (`diff`, `status`, `hash-object` with filters) run such programs regardless
 * of options, so do not use them here.
 * @throws the error of `execFile`, with `code` and `stderr`
 */
export async function runGit(folder: string, args: readonly string[], maxBytes: number): Promise<Buffer> {
  const { stdout } = await run('git', ['-C', folder, ...SAFE_OPTIONS, ...args], {
    encoding: 'buffer',
    timeout: 30_000,
    maxBuffer: maxBytes,
    env: { ...process.env, ...SAFE_ENVIRONMENT },
  })
  return stdout
}

const MAX_LISTING_BYTES = 256 * 1024 * 1024

/**
 * Lists the files in a folder that git does not ignore, relative to it.
 * @param top the repository, above which git does not look for another
 * @param onFailure is told why git cannot say it, as without the program or in a repository that it
 *   does not trust; undefined is returned then
 */
export function listUnignored(
  folder: string,
  top: string,
  onFailure: (reason: string) => void,
): readonly string[] | undefined {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  // A hook of git names its repository, which may be another one.
  const own = { GIT_DIR: undefined, GIT_WORK_TREE: undefined, GIT_CEILING_DIRECTORIES: dirname(top) }
  try {
    const listing = execFileSync('git', ['-C', folder, ...SAFE_OPTIONS, ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 30_000,
      maxBuffer: MAX_LISTING_BYTES,
      env: { ...process.env, ...SAFE_ENVIRONMENT, ...own },
    })
    return listing.split('\0').filter((file) => file !== '')
  } catch (error) {
    onFailure(describeRefusal(error as GitFailure))
    return undefined
  }
}

export interface Revision {
  /** A branch, tag, commit or expression such as `HEAD~1`. */
  readonly revision: string
  /** Path from the root of the repository, or from `folder` if it begins with `./` or `../`. */
  readonly path: string
  /** Folder of the repository, or inside it. */
  readonly folder: string
}

/** @throws FilesError `revision_unreadable`, `file_too_large` */
export async function readRevision({ revision, path, folder }: Revision, shown: string): Promise<Uint8Array> {
  try {
    return await runGit(folder, ['cat-file', 'blob', `${revision}:${path}`], MAX_SOURCE_BYTES)
  } catch (error) {
    throw describeFailure(error as GitFailure, shown)
  }
}

interface GitFailure extends Error {
  readonly code?: string | number
  readonly stderr?: Buffer | string
}

function describeRefusal({ code, stderr = '' }: GitFailure): string {
  if (code === 'ENOENT') return 'git was not found'
  const [reason = ''] = stderr
    .toString()
    .replace(/^(?:fatal|error): /, '')
    .split('\n')
  return reason.slice(0, 300) || 'it did not answer'
}

function describeFailure(error: GitFailure, shown: string): FilesError {
  if (error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') {
    return fileError('file_too_large', shown, 'is larger than 16 MiB', 'split it: the limit is 16 MiB')
  }
  const details = { file: shown, cause: error }
  if (error.code === 'ENOENT')
    return new FilesError(
      'revision_unreadable',
      describeRefusal(error),
      'install git, or name two files',
      details,
    )
  const message = `git cannot read ${shown}: ${describeRefusal(error)}`
  const hint =
    'check the revision, and the path from the root of the repository; a path from this folder begins with ./'
  return new FilesError('revision_unreadable', message, hint, details)
}
