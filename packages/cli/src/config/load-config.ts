import { existsSync, lstatSync, statSync } from 'node:fs'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { findForeignWriter, findInputLink, findRepository, formatPath, readRegularFile } from '@packs/files'
import { lilconfig } from 'lilconfig'
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
  const path = named === undefined ? await findConfig(cwd) : resolve(cwd, named)
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

async function findConfig(cwd: string): Promise<string | undefined> {
  const stop = findRepository(cwd) ?? cwd
  for (let folder = cwd; ; folder = dirname(folder)) {
    const found = await findInFolder(folder, cwd)
    if (found !== undefined || folder === stop) return found
  }
}

async function findInFolder(folder: string, cwd: string): Promise<string | undefined> {
  for (const name of [...NAMES, 'package.json']) checkIsFile(join(folder, name), cwd)
  const read = (_: string, content: string): string => content
  const searcher = lilconfig('packs', {
    searchPlaces: [...NAMES, 'package.json'],
    stopDir: folder,
    ignoreEmptySearchPlaces: false,
    loaders: {
      ...Object.fromEntries(EXTENSIONS.map((extension) => [extension, read])),
      // The text of a package.json that has settings for this program; of any other, nothing.
      '.json': (path, content) =>
        basename(path) === 'package.json' ? { packs: hasSettings(content) ? content : undefined } : content,
    },
  })
  try {
    const found = await searcher.search(folder)
    if (found === null) return undefined
    checkOnlyOne(found.filepath, cwd)
    return found.filepath
  } catch (error) {
    if (error instanceof CliError) throw error
    const { path = cwd } = error as NodeJS.ErrnoException
    throw configFailedError(formatPath(path, cwd), (error as Error).message, 'make it readable, or remove it')
  }
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

/** One that is not valid JSON is read later, and the error then has a position. */
function hasSettings(content: string): boolean {
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
    const problem = code === 'ENOENT' ? 'there is no such file' : message
    throw configFailedError(shown, problem, 'check the name after --config')
  }
}
