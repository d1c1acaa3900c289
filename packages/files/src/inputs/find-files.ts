import { type Dirent, existsSync, lstatSync, readdirSync, statSync } from 'node:fs'
import { basename, dirname, extname, join, relative, resolve, sep } from 'node:path'
import { findRegularFile } from '../safe-files.ts'
import { FilesError, fileError } from '../files-error.ts'
import { readError } from './read-bounded.ts'
import { createIgnoreRules, type IgnoreRules } from './ignore-rules.ts'
import { findInputLink, formatPath, loadPicomatch, loadTinyglobby, resolveLinks } from './search-bounds.ts'
import type { Dialect, SourceDefaults } from '@packs/codec/pack'
import { type LeftOut, type Diagnostic, errorDiagnostic } from '../diagnostic.ts'

export interface FindOptions {
  readonly cwd: string
  /** Folder that inputs are relative to. @default cwd */
  readonly base?: string
  /** File names to take from folders and globs. A file that is named directly is always taken. */
  readonly pattern: RegExp
  /** Absolute path of a folder that is not searched, unless it is named directly. */
  readonly skip?: string
  /** Tells whether a file or folder is skipped that the ignore files do not ignore. */
  readonly isIgnored?: IgnoreRules
  /** Absolute path that stdin is taken for. */
  readonly stdinPath?: string
  /**
   * Skips files and folders that begin with `_`, except `_index.*`, `_posts`, Jekyll's collections
   * and anything that an input names.
   */
  readonly skipsPartials?: boolean
  /** Skips links that lead out of the repository, with a warning. Without it, they are failures. */
  readonly leavesOutLinks?: boolean
}

interface Sink {
  /** Adds a file; `folder` is the folder in which it was found. */
  readonly add: (path: string, folder?: string) => void
  readonly addPartial: (path: string, folder: string) => void
  readonly omit: (path: string, kind: string) => void
  readonly fail: (error: FilesError) => void
  /** Tells why git cannot say what a repository ignores. */
  readonly warn: (repository: string, reason: string) => void
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
      else if (stats.isDirectory()) searchFolder(path, createSearch(path, options, sink), sink)
      else sink.add(path)
    } else if (loadTinyglobby().isDynamicPattern(input)) findGlob(input, options, sink)
    else sink.fail(readError(input, Object.assign(new Error(), { code: 'ENOENT' })))
  } catch (cause) {
    sink.fail(readError(input, cause as NodeJS.ErrnoException))
  }
}

/** `*.txt` finds every match; `docs/*`, without extension, only names that match the pattern. */
function findGlob(input: string, options: FindOptions, sink: Sink): void {
  const { base = options.cwd } = options
  const fixed = findFixedPart(input)
  const root = resolve(base, fixed)
  const { rules } = createSearch(root, options, sink, relative(base, root).startsWith('..') ? root : base)
  const pattern = /\.[\w{},]+$/.test(input) ? /(?:)/ : options.pattern
  const found = loadTinyglobby().globSync(input, {
    cwd: base,
    absolute: true,
    expandDirectories: false,
    followSymbolicLinks: false,
    dot: true,
    ignore: ['**/node_modules/**', '**/.git/**'],
  })
  const isHiddenNamed = /(?:^|\/)\.[^./]/.test(input.slice(fixed === '.' ? 0 : fixed.length))
  const paths = found
    .map((path) => resolve(path))
    .filter((path) => {
      if (!pattern.test(path)) return false
      const isHidden = !isHiddenNamed && /(?:^|[\\/])\./.test(relative(root, path))
      const kind = rules(path, false) ? 'ignored file' : isHidden ? DOT_FILE : undefined
      if (kind !== undefined) sink.omit(path, kind)
      return kind === undefined
    })
  const skipsPartials = options.skipsPartials === true && !/(?:^|\/)_/.test(input.slice(fixed.length))
  for (const path of paths.toSorted(compareNames)) {
    if (path.includes('\uFFFD') && !existsSync(path)) sink.fail(invalidNameError(sink.show(path)))
    else if (skipsPartials && isInPartial(path, root)) sink.addPartial(path, root)
    else sink.add(path, root)
  }
  if (paths.length === 0) {
    const problem = `no file matches ${input}`
    sink.fail(new FilesError('file_not_found', problem, 'check the pattern', { file: input }))
  }
}

function isInPartial(path: string, root: string): boolean {
  const parts = relative(root, path).split(sep)
  return parts.some((name, at) => isPartial(join(root, ...parts.slice(0, at)), name))
}

/** Tells whether the tools of sites take a file or folder for a part of other pages. */
function isPartial(folder: string, name: string): boolean {
  if (!name.startsWith('_') || name === '_posts' || /^_index\./i.test(name)) return false
  return !listCollections(folder).has(name.slice(1))
}

/** The pages of each name under `collections` are in a folder that begins with `_`. */
function listCollections(folder: string): ReadonlySet<string> {
  const settings = findRegularFile(join(folder, '_config.yml'), MAX_SETTINGS)?.data.toString() ?? ''
  const lines = settings.split(/\r?\n/)
  const start = lines.findIndex((line) => /^["']?collections["']?:/.test(line))
  if (start < 0) return new Set()
  // On one line: `[docs]` or `{docs: {output: true}}`.
  const inline = lines[start]!.slice('collections:'.length).match(/[\w-]+/g) ?? []
  const length = lines.slice(start + 1).findIndex((line) => /^[^\s#-]/.test(line))
  const block = lines.slice(start + 1, length < 0 ? undefined : start + 1 + length)
  return new Set([...inline, ...block.flatMap((line) => /^[\s-]*["']?([\w-]+)/.exec(line)?.[1] ?? [])])
}

const MAX_SETTINGS = 1024 * 1024

/** Returns the folders of a glob before its first pattern, and any other input as it is. */
export function findFixedPart(glob: string): string {
  return loadPicomatch().scan(glob, { unescape: true }).base || '.'
}

interface Search extends FindOptions {
  /** The folder that slugs are relative to. */
  readonly root: string
  readonly rules: IgnoreRules
}

function createSearch(root: string, options: FindOptions, { warn }: Sink, folder: string = root): Search {
  const rules = createIgnoreRules(folder, warn)
  const { isIgnored = () => false } = options
  return { ...options, root, rules: (path, isFolder) => rules(path, isFolder) || isIgnored(path, isFolder) }
}

function searchFolder(folder: string, search: Search, sink: Sink): void {
  let entries: { readonly name: string; readonly entry: Dirent<Buffer> }[]
  try {
    entries = readdirSync(folder, { encoding: 'buffer', withFileTypes: true })
      .map((entry) => ({ name: entry.name.toString(), entry }))
      .toSorted((a, b) => compareNames(a.name, b.name))
  } catch (error) {
    sink.fail(readError(sink.show(folder), error as NodeJS.ErrnoException))
    return
  }
  for (const { name, entry } of entries) {
    if (name === '.git') continue
    const path = join(folder, name)
    try {
      if (Buffer.from(name).equals(entry.name)) searchEntry(path, entry, search, sink)
      else reportInvalidName(folder, entry.name, search, sink)
    } catch (error) {
      sink.fail(readError(sink.show(path), error as NodeJS.ErrnoException))
    }
  }
}

const DOT_FILE = 'file in a dot folder'

function searchEntry(path: string, entry: Dirent<Buffer>, search: Search, sink: Sink): void {
  const [folder, name] = [dirname(path), basename(path)]
  const isHidden = name.startsWith('.')
  if (entry.isDirectory()) {
    if (search.rules(path, true)) return path === search.skip ? undefined : sink.omit(path, 'ignored folder')
    if (name === 'node_modules') return sink.omit(path, 'node_modules folder')
    const skipped = path === search.skip ? 'file in the output folder' : isHidden ? DOT_FILE : undefined
    if (skipped !== undefined) searchFolder(path, search, countAll(sink, search, skipped))
    else if (search.skipsPartials && isPartial(folder, name))
      // Faults in a skipped folder are not reported.
      searchFolder(path, search, {
        ...sink,
        add: (one) => sink.addPartial(one, search.root),
        fail: () => undefined,
      })
    else searchFolder(path, search, sink)
  } else if (!search.pattern.test(name)) {
    if (!isHidden) sink.omit(path, extname(name).toLowerCase() || 'no extension')
  } else if (search.rules(path, false)) sink.omit(path, 'ignored file')
  else if (isHidden) sink.omit(path, 'dot file')
  else {
    const target = entry.isSymbolicLink() ? statSync(path, { throwIfNoEntry: false }) : entry
    if (!target) sink.fail(brokenLinkError(sink.show(path)))
    else if (!target.isFile()) sink.omit(path, target.isDirectory() ? 'link to a folder' : 'special file')
    else if (search.skipsPartials && isPartial(folder, name)) sink.addPartial(path, search.root)
    else sink.add(path, search.root)
  }
}

/** Counts the files in a skipped folder that the search would have found elsewhere. */
function countAll(sink: Sink, { pattern }: Search, kind: string): Sink {
  const count = (path: string, found: string = kind): void => {
    if (pattern.test(path)) sink.omit(path, found)
  }
  const add = (path: string): void => count(path)
  return { ...sink, add, addPartial: add, omit: count, fail: () => undefined }
}

/** Node cannot open such a file. It is reported only if the search would have found it. */
function reportInvalidName(folder: string, bytes: Buffer, search: Search, sink: Sink): void {
  const lossy = join(folder, bytes.toString())
  const entry = lstatSync(Buffer.concat([Buffer.from(join(folder, sep)), bytes]), { throwIfNoEntry: false })
  const isFolder = entry?.isDirectory() ?? false
  if (!entry || basename(lossy).startsWith('.')) return
  if (!(isFolder || search.pattern.test(lossy)) || search.rules(lossy, isFolder)) return
  const name = Array.from(bytes, (byte) =>
    byte < 0x80 ? String.fromCharCode(byte) : `\\x${byte.toString(16)}`,
  ).join('')
  sink.fail(invalidNameError(sink.show(join(folder, name))))
}

function invalidNameError(shown: string): FilesError {
  return fileError('invalid_name', shown, 'has a name that is not valid UTF-8', 'rename it')
}

function brokenLinkError(shown: string): FilesError {
  const problem = 'is a link to a file that does not exist'
  return fileError('broken_link', shown, problem, 'repair or remove the link')
}

function compareNames(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** What the site of a page says about it. */
export interface SitePage {
  readonly dialects: readonly Dialect[]
  /** Whether the settings of its site omit the page. */
  readonly isExcluded: boolean
  readonly isDated: boolean
  /** The URL of the page below a base; undefined if its site does not show it. */
  readonly locate: (base: string) => string | undefined
}

/** An input file. `path` is absolute, or `-` for stdin; `shown` is its name in messages. */
export interface FoundFile {
  readonly path: string
  readonly shown: string
  /** Absolute path that stdin is taken for. It need not exist. */
  readonly stdinPath?: string
  /** Path below the searched folder, with `/`; absent for a file that was named directly. */
  readonly slugPath?: string
  /** Name of the searched folder, unless it is the root of a git repository. */
  readonly slugFolder?: string
  /** Values from outside of the file, which its front matter overrides. */
  readonly defaults?: SourceDefaults
  readonly site?: SitePage
  /** Folder that its includes may not leave without a repository. Without one, they stay. */
  readonly includeFolder?: string
  /** What its includes may not take from a repository or folder. All files of a search share it. */
  readonly findRules?: (root: string) => IgnoreRules
  readonly prepare?: (text: string) => Promise<string>
}

/** A source that readers of the site do not see. */
export interface SkippedFile extends FoundFile {
  readonly kind: 'draft' | 'unpublished page' | 'unlisted page' | 'partial' | 'page without text'
}

/** The files that inputs name, and the errors of inputs that name none. */
export interface FoundFiles {
  readonly files: readonly FoundFile[]
  readonly failures: readonly FilesError[]
  /** Includes those that were skipped. */
  readonly leftOut: readonly LeftOut[]
  readonly skipped: readonly SkippedFile[]
  readonly messages: readonly Diagnostic[]
}

/**
 * Folders and globs skip what is ignored, dot files, and `node_modules`. Links to files in folders
 * are followed if they stay in the repository, or without one in the folder; globs skip links, and
 * links to folders are not followed. A file found twice is returned once, as named directly if one
 * of the inputs names it.
 */
export function findFiles(inputs: readonly string[], options: FindOptions): FoundFiles {
  const files = new Map<string, FoundFile>()
  const failures: FilesError[] = []
  const leftOut = new Map<string, LeftOut>()
  const partials = new Map<string, SkippedFile>()
  const messages: Diagnostic[] = []
  const show = (path: string): string => formatPath(path, options.cwd)
  const folders = new Map<string, string>()
  /** Resolves the links of a path, those of its folder once. */
  const resolvePath = (path: string): string => {
    if (isLink(path)) return resolveLinks(path)
    const folder = folders.get(dirname(path)) ?? resolveLinks(dirname(path))
    folders.set(dirname(path), folder)
    return join(folder, basename(path))
  }
  const rules = new Map<string, IgnoreRules>()
  const warn = (repository: string, why: string): void => {
    const reason = `git does not say what is ignored here, so .gitignore files alone do: ${why}`
    const hint = 'install git, or let it trust this repository (git help safe.directory)'
    const message = errorDiagnostic(show(repository), 'git-unavailable', reason, hint, 'warning')
    if (!messages.some(({ rule, file }) => rule === message.rule && file === message.file))
      messages.push(message)
  }
  const findRules = (root: string): IgnoreRules => {
    const found = rules.get(root) ?? createIgnoreRules(root, warn)
    rules.set(root, found)
    return found
  }
  const describe = (path: string, folder?: string): FoundFile => ({
    path,
    shown: show(path),
    ...(folder !== undefined && describeSlug(path, folder)),
    includeFolder: folder ?? dirname(path),
    findRules,
  })
  if (inputs.includes(''))
    throw new FilesError('usage', 'an input is empty', 'name a file, or . for this folder')
  for (const input of inputs) {
    const add = (path: string, folder?: string): void => {
      const key = resolvePath(path)
      const error = folder === undefined || key === path ? undefined : findInputLink(path, folder, show(path))
      if (error !== undefined && options.leavesOutLinks !== true) return fail(error)
      if (error !== undefined) {
        messages.push(errorDiagnostic(show(path), error.code, error.message, error.hint, 'warning'))
        return
      }
      const known = files.get(key)
      const isKept = isBetter({ path, folder }, known)
      const other = isKept ? known?.path : path
      if (other !== undefined && isLink(other)) omit(other, 'link to another source')
      if (isKept) files.set(key, describe(path, folder))
    }
    const addStdin = (): void => {
      const { stdinPath } = options
      if (stdinPath === undefined) files.set('-', { path: '-', shown: '<stdin>' })
      else files.set('-', { ...describe(stdinPath), path: '-', stdinPath })
    }
    const addPartial = (path: string, folder: string): void => {
      partials.set(resolveLinks(path), { ...describe(path, folder), kind: 'partial' })
    }
    const fail = (error: FilesError): void => void failures.push(error)
    const omit = (path: string, kind: string): void => void leftOut.set(path, { shown: show(path), kind })
    if (input === '-') addStdin()
    else findInput(input, options, { add, addPartial, omit, fail, warn, show })
  }
  for (const key of files.keys()) partials.delete(key)
  for (const { path } of files.values()) leftOut.delete(path)
  const [leftOutFiles, skipped] = [[...leftOut.values()], [...partials.values()]]
  return { files: [...files.values()], failures, leftOut: leftOutFiles, skipped, messages }
}

/** A file named directly is preferred to one that was found, and a file to a link to it. */
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
