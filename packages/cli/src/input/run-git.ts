import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Without hooks, a monitor of files and a pager; objects are read as they were committed, not as replaced later. */
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
/** No server is asked for missing objects: the settings of a repository can name a program as one. */
const SAFE_ENVIRONMENT = {
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_NO_LAZY_FETCH: '1',
  GIT_TERMINAL_PROMPT: '0',
  LC_ALL: 'C',
}

/**
 * Runs a command of git that reads objects, such as `cat-file`, `ls-tree` and `rev-parse`, and no program that the repository's
 * settings or attributes name. Commands that compare files with the index (`diff`, `status`, `hash-object` with filters) run such
 * programs whatever the options are, so use none of them.
 *
 * @param folder in the repository
 * @param maxBytes of the output
 * @returns the output
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
