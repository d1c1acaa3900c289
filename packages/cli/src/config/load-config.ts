import { existsSync, lstatSync, statSync } from 'node:fs'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { findForeignWriter, findInputLink, findRepository, formatPath, readRegularFile } from '@packs/files'
import { configFailedError, CliError } from '../cli-error.ts'
import { writeWarning } from '../output/terminal.ts'
import type { RunConfig } from './run-config.ts'

export interface LoadedConfig extends RunConfig {
  readonly path: string
  /** Absolute path of its folder, which its paths are relative to. */
  readonly folder: string
  readonly shown: string
}

/** File names of a configuration. In each folder, the first one that exists is used. */
const EXTENSIONS = ['.ts', '.mts', '.js', '.mjs', '.cjs', '.json']
const NAMES = EXTENSIONS.map((extension) => `packs.config${extension}`)

const MAX_CONFIG = 4 * 1024 * 1024

/**
 * Reads `packs.config.*` or `"packs"` in `package.json`, in a folder or in the nearest parent up to
 * the root of the repository. Outside of one only this folder: others may write to a parent.
 * @param named value of `--config`: a file to read instead, or `none`
 * @param readsOnly whether code is skipped with a warning, unless it is named
 */
export async function loadConfig(
  cwd: string,
  named?: string,
  readsOnly = false,
): Promise<LoadedConfig | undefined> {
  if (named === 'none') return undefined
  const path = named === undefined ? findConfig(cwd) : resolve(cwd, named)
  if (path === undefined) return undefined
  const shown = formatPath(path, cwd)
  if (named === undefined) {
    if (readsOnly && !path.endsWith('.json')) {
      const reason = 'this command runs no code that it finds; name it with --config to run it'
      writeWarning(`${shown} is not used: ${reason}`)
      return undefined
    }
    checkWriters(path, shown)
    const error = findInputLink(path, dirname(path), shown)
    if (error !== undefined) throw error
  }
  return { ...(await readConfig(path, shown)), path, folder: dirname(path), shown }
}

function checkWriters(file: string, shown: string): void {
  const foreign = findForeignWriter(file)
  if (foreign === undefined) return
  const { path, fault } = foreign
  const hint =
    'make sure that only you own and can write it (chown, chmod go-w); if you trust it, name it with --config; else use --config none'
  throw new CliError('untrusted_file', `${shown} is not used: ${path} ${fault}`, hint, { file: shown })
}

function findConfig(cwd: string): string | undefined {
  const stop = findRepository(cwd) ?? cwd
  for (let folder = cwd; ; folder = dirname(folder)) {
    const found = findInFolder(folder, cwd)
    if (found !== undefined || folder === stop) return found
  }
}

function findInFolder(folder: string, cwd: string): string | undefined {
  const places = [...NAMES, 'package.json'].map((name) => join(folder, name))
  for (const place of places) checkIsFile(place, cwd)
  const found = places.find((place) => existsSync(place) && hasSettings(place, cwd))
  if (found !== undefined) checkOnlyOne(found, cwd)
  return found
}

/** A pipe or a device may never end, and a link to nothing would drop the settings silently. */
function checkIsFile(path: string, cwd: string): void {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats?.isFile()) return
  if (stats === undefined && lstatSync(path, { throwIfNoEntry: false }) === undefined) return
  const other = stats?.isDirectory() ? 'it is a folder' : 'it is a pipe or a device, not a file'
  const message = stats === undefined ? 'it is a link to a file that does not exist' : other
  throw configFailedError(formatPath(path, cwd), message, 'make it a file, or remove it')
}

/** Any file but a `package.json` has. One that is not valid JSON is read later, with positions. */
function hasSettings(path: string, cwd: string): boolean {
  if (basename(path) !== 'package.json') return true
  const content = readText(path, formatPath(path, cwd))
  if (!content.includes('"packs"')) return false
  try {
    const value: unknown = JSON.parse(content)
    return typeof value === 'object' && value !== null && Object.hasOwn(value, 'packs')
  } catch {
    return true
  }
}

function checkOnlyOne(path: string, cwd: string): void {
  const folder = dirname(path)
  const others = NAMES.filter((name) => name !== basename(path) && existsSync(join(folder, name)))
  if (others.length === 0 || basename(path) === 'package.json') return
  throw configFailedError(
    formatPath(path, cwd),
    `${others.join(' and ')} ${others.length === 1 ? 'is' : 'are'} beside it`,
    'keep one configuration in a folder, or name one with --config',
  )
}

async function readConfig(path: string, shown: string): Promise<RunConfig> {
  const extension = extname(path).toLowerCase()
  if (!EXTENSIONS.includes(extension)) {
    const hint = `name a file that ends in ${EXTENSIONS.join(', ')}`
    throw configFailedError(shown, `a configuration cannot end in ${extension || 'no extension'}`, hint)
  }
  const text = readText(path, shown)
  if (extension !== '.json') {
    const { runConfig } = await import('./run-config.ts')
    return runConfig(path, shown)
  }
  const { parseConfig } = await import('./validate-config.ts')
  return { config: parseConfig(text, shown, basename(path) === 'package.json' ? 'packs' : undefined) }
}

function readText(path: string, shown: string): string {
  try {
    return readRegularFile(path, MAX_CONFIG).data.toString()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'too_large')
      throw configFailedError(shown, 'it is larger than 4 MiB', 'remove what the program does not need')
    if (code === 'ENOENT')
      throw configFailedError(shown, 'there is no such file', 'check the name after --config')
    throw configFailedError(shown, message, 'make it readable, or remove it')
  }
}
