import { execFile, type ExecFileException } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const packages = [
  'ai-sdk',
  'api',
  'catalog',
  'cli',
  'client',
  'codec',
  'eval',
  'files',
  'mcp',
  'publisher',
  'search',
  'theme',
  'threads',
  'server',
  'web',
] as const

type PackageName = (typeof packages)[number]

const root = fileURLToPath(new URL('../../../..', import.meta.url))

/** Packs every package as it is published, with pnpm: npm would keep `workspace:*` in the dependencies. */
export async function packPackages(folder: string): Promise<void> {
  for (const name of packages) {
    if (!existsSync(join(root, 'packages', name, 'dist'))) {
      throw new Error('The tarballs contain what is built: run `pnpm build` first.')
    }
  }
  const command = [
    '-y',
    'pnpm@12',
    '-r',
    '--filter',
    './packages/*',
    '--filter',
    '!@packs/test-kit',
    'pack',
    '--pack-destination',
    folder,
  ]
  const { status, stdout, stderr } = await runProgram('npx', command, root)
  if (status !== 0) throw new Error(`pnpm pack failed: ${stdout}${stderr}`)
}

/** Installs tarballs with npm into an empty project, as a user does. @param others packages of the registry */
export async function installTarballs(
  project: string,
  tarballs: string,
  names: readonly PackageName[],
  others: readonly string[] = [],
): Promise<void> {
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{"private":true,"type":"module"}')
  const files = readdirSync(tarballs).filter((file) =>
    names.some((name) => file.startsWith(`packs-${name}-`)),
  )
  const options = ['install', '--prefer-offline', '--no-audit', '--no-fund']
  const paths = files.map((file) => join(tarballs, file))
  const { status, stderr } = await runProgram('npm', [...options, ...paths, ...others], project)
  if (status !== 0) throw new Error(`npm install failed: ${stderr}`)
}

/** A version of Node, and its program. */
export type NodeVersion = readonly [name: string, program: string]

/** The oldest Node that `pack` supports is a package for Linux on x64; that of the workspace runs on every system. */
export function listNodeVersions(): NodeVersion[] {
  const hasOldest = process.platform === 'linux' && process.arch === 'x64'
  const require = createRequire(import.meta.url)
  const oldest = (): NodeVersion => [
    '22.15',
    join(dirname(require.resolve('node-22/package.json')), 'bin/node'),
  ]
  return [...(hasOldest ? [oldest()] : []), ['of the workspace', process.execPath]]
}

export interface ProgramRun {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

export function runProgram(program: string, args: readonly string[], cwd: string): Promise<ProgramRun> {
  // Of the workspace's programs, pnpm sets NODE_PATH to the packages of the workspace.
  const { VITEST: _vitest, NODE_OPTIONS: _options, NODE_PATH: _path, ...env } = process.env
  const isScript = process.platform === 'win32' && /^np[mx]$/.test(program)
  return new Promise((done) => {
    execFile(program, args, { cwd, env, shell: isScript }, (error, stdout, stderr) =>
      done({ status: readStatus(error), stdout, stderr }),
    )
  })
}

/** Path of the installed `pack`. */
export function locatePack(project: string): string {
  return join(project, 'node_modules/@packs/cli/bin/pack.js')
}

/** A manifest as npm installed it. */
export interface InstalledManifest {
  readonly version: string
  readonly exports: Readonly<Record<string, unknown>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

export function readManifest(project: string, name: PackageName): InstalledManifest {
  const text = readFileSync(join(project, 'node_modules/@packs', name, 'package.json'), 'utf8')
  return JSON.parse(text) as InstalledManifest
}

/** Lists what can be imported from an installed package. */
export function listEntries(project: string, name: PackageName): string[] {
  return Object.keys(readManifest(project, name).exports)
    .filter((entry) => !entry.endsWith('.json'))
    .map((entry) => `@packs/${name}${entry.slice(1)}`)
}

/** Counts the installed packages with npm's own list. */
export function countPackages(project: string): number {
  const text = readFileSync(join(project, 'node_modules/.package-lock.json'), 'utf8')
  return Object.keys((JSON.parse(text) as { packages: object }).packages).length
}

/** Adds up the sizes of all files in a folder, in bytes. */
export function measureFolder(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => lstatSync(join(folder, path)))
    .reduce((sum, stats) => sum + (stats.isFile() ? stats.size : 0), 0)
}

function readStatus(error: ExecFileException | null): number {
  return error === null ? 0 : typeof error.code === 'number' ? error.code : -1
}
