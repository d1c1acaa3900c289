import { basename, dirname, join, relative, sep } from 'node:path'
import { findRegularFile } from '../safe-files.ts'
import ignore, { type Ignore } from 'ignore'
import { listUnignored } from './run-git.ts'
import { findEntry, findRepository } from './search-bounds.ts'

/** A link to a device would never end. */
const MAX_BYTES = 1024 * 1024
const OWN = ['.packignore']

/** Tells whether a search skips a path. */
export type IgnoreRules = (path: string, isFolder: boolean) => boolean

/** Tells whether git takes a path; undefined where git cannot say it. */
type GitRules = (path: string) => boolean | undefined

/**
 * In a repository, git says what is ignored, unless a `.packignore` file has a rule for it.
 * Elsewhere, and in a folder that git ignores but a user names, the ignore files say it: those of
 * parents up to the repository root count, unless they ignore the folder itself.
 *
 * @param onFailure is told why git cannot say what a repository ignores
 */
export function createIgnoreRules(
  folder: string,
  onFailure: (repository: string, reason: string) => void = () => undefined,
): IgnoreRules {
  const isListed = createLists(folder, onFailure)
  const findOwn = createFileRules(folder, OWN)
  const findAll = createFileRules(folder, ['.gitignore', ...OWN])
  /** Git lists nothing in a folder that it ignores, although `.packignore` takes it in again. */
  const isTakenAgain = (at: string): boolean =>
    at.length > folder.length && (findOwn(at, true) === false || isTakenAgain(dirname(at)))
  return (path, isFolder) => {
    const listed = isListed(path)
    if (listed === undefined) return findAll(path, isFolder) ?? false
    return findOwn(path, isFolder) ?? !(listed || isTakenAgain(dirname(path)))
  }
}

/** A repository in the folder has a list of its own. */
function createLists(folder: string, onFailure: (repository: string, reason: string) => void): GitRules {
  const lists = new Map<string, ((path: string) => boolean) | undefined>()
  const findList = (at: string): ((path: string) => boolean) | undefined => {
    if (!lists.has(at)) {
      const isRoot = at === folder || findEntry(join(at, '.git')) !== undefined
      lists.set(
        at,
        isRoot ? createList(at, onFailure) : at === dirname(at) ? undefined : findList(dirname(at)),
      )
    }
    return lists.get(at)
  }
  return (path) => findList(dirname(path))?.(path)
}

function createList(
  folder: string,
  onFailure: (repository: string, reason: string) => void,
): ((path: string) => boolean) | undefined {
  const repository = findRepository(folder)
  const names = repository && listUnignored(folder, repository, (reason) => onFailure(repository, reason))
  if (!names || names.length === 0) return undefined
  const foldCase = ignoresCase(folder)
  const fold = (name: string): string => (foldCase ? name.normalize().toLowerCase() : name)
  const listed = new Set<string>()
  for (const name of names) {
    // A repository in the folder is listed with a slash at the end.
    for (let end = name.length; end > 0 && !listed.has(fold(name.slice(0, end)));) {
      listed.add(fold(name.slice(0, end)))
      end = name.lastIndexOf('/', end - 1)
    }
  }
  return (path) => listed.has(fold(relative(folder, path).split(sep).join('/')))
}

/** Undefined for a path that no rule matches. */
type FileRules = (path: string, isFolder: boolean) => boolean | undefined

function createFileRules(folder: string, files: readonly string[]): FileRules {
  const cache = new Map<string, Ignore | undefined>()
  const top = findRepository(folder) ?? folder
  const options = { ignoreCase: ignoresCase(folder) }
  const readRules = (at: string, from: string): Ignore | undefined => {
    if (cache.has(at)) return cache.get(at)
    const outer = at === from || at === dirname(at) ? undefined : readRules(dirname(at), from)
    const texts = files.map((name) => findRegularFile(join(at, name), MAX_BYTES)?.data.toString() ?? '')
    const patterns = texts.flatMap((text) => rebase(text, relative(from, at)))
    const rules =
      patterns.length === 0
        ? outer
        : ignore(options)
            .add(outer ?? [])
            .add(patterns.join('\n'))
    cache.set(at, rules)
    return rules
  }
  const test = (from: string, path: string, isFolder: boolean): boolean | undefined => {
    const name = relative(from, path).split(sep).join('/')
    const result = readRules(dirname(path), from)?.test(isFolder ? `${name}/` : name)
    return result?.ignored ? true : result?.unignored ? false : undefined
  }
  const isIgnored = top !== folder && test(top, folder, true) === true
  if (isIgnored) cache.clear()
  return (path, isFolder) => test(isIgnored ? folder : top, path, isFolder)
}

/** Returns the patterns of an ignore file as they are written in a folder above it. */
function rebase(text: string, below: string): string[] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  if (below === '') return lines.filter((line) => line !== '')
  const folder = below
    .split(sep)
    .join('/')
    .replace(/[\\*?[\]]/g, String.raw`\$&`)
  return lines.flatMap((line) => {
    if (line.trim() === '' || line.startsWith('#')) return []
    const [, not = '', pattern = ''] = /^(!?)(.*)$/s.exec(line) ?? []
    const isAnchored = /\/[^/]*[^/\s]/.test(pattern)
    return [`${not}/${folder}/${isAnchored ? pattern.replace(/^\//, '') : `**/${pattern}`}`]
  })
}

/** Tells whether the file system takes a name in another case for the same. */
export function ignoresCase(folder: string): boolean {
  const name = basename(folder)
  const other = name === name.toLowerCase() ? name.toUpperCase() : name.toLowerCase()
  if (other === name) return dirname(folder) !== folder && ignoresCase(dirname(folder))
  const [found, same] = [folder, join(dirname(folder), other)].map(findEntry)
  return found !== undefined && found.ino === same?.ino && found.dev === same.dev
}
