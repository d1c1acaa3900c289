import { execFile } from 'node:child_process'
import { basename, dirname } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const FILES_PER_CALL = 200
const LIMITS = { timeout: 10_000, maxBuffer: 16 * 1024 * 1024 }

/** Finds the git commit that contains each file unchanged; files that have changes or are not in a repository get none. */
export async function findGitCommits(paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const commits = new Map<string, string>()
  const folders = Map.groupBy(paths, (path) => dirname(path))
  for (const [folder, files] of folders) {
    const head = (await runGit(folder, ['rev-parse', '--verify', 'HEAD']))?.trim()
    if (head === undefined || !/^[0-9a-f]{40,64}$/.test(head)) continue
    for (let at = 0; at < files.length; at += FILES_PER_CALL) {
      const batch = files.slice(at, at + FILES_PER_CALL)
      const names = batch.map((file) => basename(file))
      const tracked = await runGit(folder, ['ls-files', '-z', '--cached', '--', ...names])
      const changed = await runGit(folder, [
        'diff',
        '--name-only',
        '--relative',
        '-z',
        'HEAD',
        '--',
        ...names,
      ])
      if (tracked === undefined || changed === undefined) continue
      const trackedNames = new Set(tracked.split('\0'))
      const changedNames = new Set(changed.split('\0'))
      for (const file of batch) {
        if (trackedNames.has(basename(file)) && !changedNames.has(basename(file))) commits.set(file, head)
      }
    }
  }
  return commits
}

/** The settings of a repository can name programs to run; these options disable all that the commands here would start. */
const SAFE_OPTIONS = [
  '--no-optional-locks',
  '--literal-pathspecs',
  '-c',
  'core.fsmonitor=false',
  '-c',
  'diff.external=',
]

async function runGit(folder: string, args: readonly string[]): Promise<string | undefined> {
  try {
    const { stdout } = await run('git', ['-C', folder, ...SAFE_OPTIONS, ...args], LIMITS)
    return stdout
  } catch {
    return undefined
  }
}
