import { existsSync, lstatSync, readdirSync, statSync } from 'node:fs'
import { basename, extname, join, relative, resolve, sep } from 'node:path'
import type { GivenFields } from '@packs/codec/source'
import { CliError, fileError, usageError } from '../cli-error.ts'
import type { LeftOut, Diagnostic } from '../output/diagnostic.ts'
import {
  createIgnoreRules,
  type IgnoreRules,
  findInputLink,
  resolveLinks,
  loadPicomatch,
  loadTinyglobby,
} from './search-bounds.ts'
import { readError } from './read-bounded.ts'
import { formatPath } from '../output/terminal.ts'

/** An input file. `path` is absolute, or `-` for stdin; `shown` is its name in messages. */
export interface FoundFile {
  readonly path: string
  readonly shown: string
  /** Absolute path that stdin is taken for. It need not exist. */
  readonly stdinPath?: string
  /** Path below the searched folder, with `/`, for the slug of a source; absent for a file that was named directly. */
  readonly slugPath?: string
  /** Name of the searched folder, unless it is the root of a git repository. */
  readonly slugFolder?: string
  /** Values from outside of the file, which its front matter overrides. */
  readonly given?: GivenFields
}

/** The files that inputs name, and the errors of inputs that name none. */
export interface FoundFiles {
  readonly files: readonly FoundFile[]
  readonly failures: readonly CliError[]
  readonly leftOut: readonly LeftOut[]
  /** What is wrong with the search itself. */
  readonly messages?: readonly Diagnostic[]
}

export interface FindOptions {
  readonly cwd: string
  /** Folder that inputs are relative to. @default cwd */
  readonly base?: string
  /** File names to take from folders and globs. A file that is named directly is always taken. */
  readonly pattern: RegExp
  /** Absolute path of a folder that is not searched, unless it is named directly. */
  readonly skip?: string
  /** Tells whether a file or folder is left out in addition to the ignore files. */
  readonly isIgnored?: IgnoreRules
  /** Absolute path that stdin is taken for. */
  readonly stdinPath?: string
}

/**
 * Finds the files that inputs name: files, globs, folders (searched recursively), and `-` for stdin.
 *
 * Folders and globs skip the matches of `.gitignore` and `.packignore`, dot files, and `node_modules`. Links to files in folders are
 * followed if they stay in the repository, or without one in the folder; globs take no links, and links to folders are not followed.
 * A file found twice is returned once, as named directly if one of the inputs does that. Files come in the order of the inputs, and
 * by name within an input.
 *
 * @throws CliError `usage` if an input is empty
 */
export function findFiles(inputs: readonly string[], options: FindOptions): FoundFiles {
  const files = new Map<string, FoundFile>()
  const failures: CliError[] = []
  const leftOut: LeftOut[] = []
  const show = (path: string): string => formatPath(path, options.cwd)
  if (inputs.includes('')) throw usageError('an input is empty', 'name a file, or . for this folder')
  for (const input of inputs) {
    const add = (path: string, folder?: string): void => {
      const key = resolveLinks(path)
      const error = folder === undefined || key === path ? undefined : findInputLink(path, folder, show(path))
      if (error !== undefined) return fail(error)
      if (!isBetter({ path, folder }, files.get(key))) return
      files.set(key, { path, shown: show(path), ...(folder !== undefined && describeSlug(path, folder)) })
    }
    const addStdin = (): void => {
      const { stdinPath } = options
      if (stdinPath === undefined) files.set('-', { path: '-', shown: '<stdin>' })
      else files.set('-', { path: '-', shown: show(stdinPath), stdinPath })
    }
    const fail = (error: CliError): void => void failures.push(error)
    const omit = (path: string, kind: string): void => void leftOut.push({ shown: show(path), kind })
    if (input === '-') addStdin()
    else findInput(input, options, { add, omit, fail, show })
  }
  return { files: [...files.values()], failures, leftOut }
}

/** A file that is named directly is better than one that was found, and a file is better than a link to it. */
function isBetter(
  { path, folder }: { readonly path: string; readonly folder: string | undefined },
  known: FoundFile | undefined,
): boolean {
  if (known === undefined) return true
  if (known.slugPath === undefined) return false
  return folder === undefined || (isLink(known.path) && !isLink(path))
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false
}

/** The root of a repository has another name in each clone, so no slug may come from it. */
function describeSlug(path: string, folder: string): Pick<FoundFile, 'slugPath' | 'slugFolder'> {
  const slugPath = relative(folder, path).split(sep).join('/')
  return existsSync(join(folder, '.git')) ? { slugPath } : { slugPath, slugFolder: basename(folder) }
}

interface Sink {
  /** Adds a file; `folder` is the folder in which it was found. */
  readonly add: (path: string, folder?: string) => void
  readonly omit: (path: string, kind: string) => void
  readonly fail: (error: CliError) => void
  readonly show: (path: string) => string
}

function findInput(input: string, options: FindOptions, sink: Sink): void {
  const path = resolve(options.base ?? options.cwd, input)
  const error = options.base === undefined ? undefined : findInputLink(path, options.base, sink.show(path))
  if (error !== undefined) return sink.fail(error)
  try {
    if (lstatSync(path, { throwIfNoEntry: false })) {
      const stats = statSync(path, { throwIfNoEntry: false })
      if (!stats) sink.fail(brokenLinkError(input))
      else if (stats.isDirectory()) searchFolder(path, createSearch(path, options), sink)
      else sink.add(path)
    } else if (loadTinyglobby().isDynamicPattern(input)) findGlob(input, options, sink)
    else sink.fail(readError(input, Object.assign(new Error(), { code: 'ENOENT' })))
  } catch (cause) {
    sink.fail(readError(input, cause as NodeJS.ErrnoException))
  }
}

/** A glob with a file extension, like `*.txt`, takes every match; one without, like `docs/*`, takes only names of the pattern. */
function findGlob(input: string, options: FindOptions, sink: Sink): void {
  const { base = options.cwd } = options
  const { rules, root } = createSearch(resolve(base, findFixedPart(input)), options, base)
  const pattern = /\.[\w{},]+$/.test(input) ? /(?:)/ : options.pattern
  const found = loadTinyglobby().globSync(input, {
    cwd: base,
    absolute: true,
    expandDirectories: false,
    followSymbolicLinks: false,
    ignore: ['**/node_modules/**'],
  })
  const paths = found.map((path) => resolve(path)).filter((path) => pattern.test(path) && !rules(path, false))
  for (const path of paths.toSorted(compareNames)) {
    if (path.includes('\uFFFD') && !existsSync(path)) sink.fail(invalidNameError(sink.show(path)))
    else sink.add(path, root)
  }
  if (paths.length === 0) {
    sink.fail(
      new CliError('file_not_found', `no file matches ${input}`, 'check the pattern', { file: input }),
    )
  }
}

/** Returns the folders of a glob before its first pattern, and any other input as it is. */
export function findFixedPart(glob: string): string {
  return loadPicomatch().scan(glob, { unescape: true }).base || '.'
}

interface Search extends FindOptions {
  /** The folder that slugs are relative to. */
  readonly root: string
  readonly rules: IgnoreRules
}

function createSearch(root: string, options: FindOptions, folder: string = root): Search {
  const rules = createIgnoreRules(folder)
  const { isIgnored = () => false } = options
  return { ...options, root, rules: (path, isFolder) => rules(path, isFolder) || isIgnored(path, isFolder) }
}

function searchFolder(folder: string, search: Search, sink: Sink): void {
  let entries: { readonly name: string; readonly bytes: Buffer }[]
  try {
    entries = readdirSync(folder, { encoding: 'buffer' })
      .map((bytes) => ({ name: bytes.toString(), bytes }))
      .toSorted((a, b) => compareNames(a.name, b.name))
  } catch (error) {
    sink.fail(readError(sink.show(folder), error as NodeJS.ErrnoException))
    return
  }
  for (const { name, bytes } of entries) {
    if (name.startsWith('.') || name === 'node_modules') continue
    const path = join(folder, name)
    try {
      if (Buffer.from(name).equals(bytes)) searchEntry(path, name, search, sink)
      else reportInvalidName(folder, bytes, search, sink)
    } catch (error) {
      sink.fail(readError(sink.show(path), error as NodeJS.ErrnoException))
    }
  }
}

function searchEntry(path: string, name: string, search: Search, sink: Sink): void {
  const entry = lstatSync(path, { throwIfNoEntry: false })
  if (entry?.isDirectory()) {
    if (path === search.skip) return
    if (search.rules(path, true)) sink.omit(path, 'ignored folder')
    else searchFolder(path, search, sink)
  } else if (entry && !search.pattern.test(name))
    sink.omit(path, extname(name).toLowerCase() || 'no extension')
  else if (entry && search.rules(path, false)) sink.omit(path, 'ignored file')
  else if (entry) {
    const target = statSync(path, { throwIfNoEntry: false })
    if (!target) sink.fail(brokenLinkError(sink.show(path)))
    else if (target.isFile()) sink.add(path, search.root)
  }
}

/** Node cannot open a file whose name is not valid UTF-8. It is reported only if the search would have taken it. */
function reportInvalidName(folder: string, bytes: Buffer, search: Search, sink: Sink): void {
  const lossy = join(folder, bytes.toString())
  const entry = lstatSync(Buffer.concat([Buffer.from(join(folder, sep)), bytes]), { throwIfNoEntry: false })
  const isFolder = entry?.isDirectory() ?? false
  if (!entry || !(isFolder || search.pattern.test(lossy)) || search.rules(lossy, isFolder)) return
  sink.fail(invalidNameError(sink.show(join(folder, escapeBytes(bytes)))))
}

function invalidNameError(shown: string): CliError {
  return new CliError('invalid_name', `the name of ${shown} is not valid UTF-8`, 'rename it', { file: shown })
}

function escapeBytes(bytes: Buffer): string {
  return Array.from(bytes, (byte) =>
    byte < 0x80 ? String.fromCharCode(byte) : `\\x${byte.toString(16)}`,
  ).join('')
}

function brokenLinkError(shown: string): CliError {
  const problem = 'is a link to a file that does not exist'
  return fileError('broken_link', shown, problem, 'repair or remove the link')
}

function compareNames(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
