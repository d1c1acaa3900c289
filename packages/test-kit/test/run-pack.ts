import { spawn, type ChildProcess } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { closeLater } from './close-later.ts'

export const launcher: string = fileURLToPath(new URL('../../cli/bin/pack.js', import.meta.url))

export interface RunOptions {
  readonly cwd?: string
  readonly input?: string | Uint8Array
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly nodeArgs?: readonly string[]
  /** File descriptor of stdout; a pipe by default. */
  readonly stdout?: number
  /** Path of an installed program, instead of that of the workspace. */
  readonly launcher?: string
  /** User that runs the program, which only root can choose. */
  readonly uid?: number | undefined
}

export interface Run {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
  readonly bytes: Buffer
}

/** A folder that cannot be created, so that no test builds on what another one left in the user's cache. */
export const NO_CACHE: Readonly<Record<string, string>> = { XDG_CACHE_HOME: '/dev/null' }

/** Starts the program as users do, from what `pnpm build` has written. */
export function startPack(args: readonly string[], options: RunOptions = {}): ChildProcess {
  const { NO_COLOR: _no, FORCE_COLOR: _force, VITEST: _vitest, ...env } = process.env
  return spawn(process.execPath, [...(options.nodeArgs ?? []), options.launcher ?? launcher, ...args], {
    cwd: options.cwd,
    env: { ...env, ...NO_CACHE, ...options.env },
    stdio: ['pipe', options.stdout ?? 'pipe', 'pipe'],
    ...(options.uid !== undefined && { uid: options.uid, gid: options.uid }),
  })
}

/** Runs the program until it exits. */
export async function runPack(args: readonly string[], options: RunOptions = {}): Promise<Run> {
  const child = startPack(args, options)
  child.stdin?.on('error', () => undefined)
  child.stdin?.end(options.input ?? '')
  const out: Buffer[] = []
  const err: Buffer[] = []
  child.stdout?.on('data', (chunk: Buffer) => out.push(chunk))
  child.stderr?.on('data', (chunk: Buffer) => err.push(chunk))
  const status = await new Promise<number | null>((resolve) => child.on('close', resolve))
  const bytes = Buffer.concat(out)
  return { status, stdout: bytes.toString(), stderr: Buffer.concat(err).toString(), bytes }
}

/** The least that git takes for a repository. */
export const REPOSITORY = { '.git/HEAD': 'ref: refs/heads/main\n', '.git/objects/a': '', '.git/refs/a': '' }

/**
 * Creates a folder with files, which is removed when the test ends; outside of tests, when those of the file have ended.
 * @param later calls a function when the test ends, for tests that run at the same time
 */
export function makeFolder(
  files: Readonly<Record<string, string | Uint8Array>> = {},
  later: (close: () => void | Promise<void>) => void = closeLater,
): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pack-test-')))
  later(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}
