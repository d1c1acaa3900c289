import { existsSync, lstatSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import type { SourceDefaults } from '@packs/codec/pack'
import { type CliError, usageError } from '../cli-error.ts'
import type { LeftOut, Diagnostic } from '../output/diagnostic.ts'
import { diagnoseError } from '../output/report-error.ts'
import { findInputLink, resolveLinks } from './search-bounds.ts'
import { type FindOptions, findInput } from './search-inputs.ts'
import { formatPath } from '../output/terminal.ts'

/** An input file. `path` is absolute, or `-` for stdin; `shown` is its name in messages. */
export interface FoundFile {
  readonly path: string
  readonly shown: string
  /** Absolute path that stdin is taken for. It need not exist. */
  readonly stdinPath?: string
  /**
   * Path below the searched folder, with `/`, for the slug of a source; absent for a file that was
   * named directly.
   */
  readonly slugPath?: string
  /** Name of the searched folder, unless it is the root of a git repository. */
  readonly slugFolder?: string
  /** Values from outside of the file, which its front matter overrides. */
  readonly defaults?: SourceDefaults
  /**
   * Folder that its includes may not leave if it is not in a repository. Without one, includes are
   * not resolved.
   */
  readonly includeFolder?: string
  /**
   * Changes its text before it is built, as the configuration says.
   *
   * @throws CliError
   */
  readonly prepare?: (text: string) => Promise<string>
}

/** A source that readers of the site do not see. */
export interface SkippedFile extends FoundFile {
  readonly kind: 'draft' | 'unpublished page' | 'unlisted page' | 'partial'
}

/** The files that inputs name, and the errors of inputs that name none. */
export interface FoundFiles {
  readonly files: readonly FoundFile[]
  readonly failures: readonly CliError[]
  /** Includes those that were skipped. */
  readonly leftOut: readonly LeftOut[]
  readonly skipped?: readonly SkippedFile[]
  /** What is wrong with the search itself. */
  readonly messages?: readonly Diagnostic[]
}

/**
 * Finds the files that inputs name: files, globs, folders (searched recursively), and `-` for
 * stdin.
 *
 * Folders and globs skip the matches of `.gitignore` and `.packignore`, dot files, and
 * `node_modules`. Links to files in folders are followed if they stay in the repository, or without
 * one in the folder; globs skip links, and links to folders are not followed. A file found twice is
 * returned once, as named directly if one of the inputs names it. Files come in the order of the
 * inputs, and by name within an input.
 *
 * @throws CliError `usage` if an input is empty
 */
export function findFiles(inputs: readonly string[], options: FindOptions): FoundFiles {
  const files = new Map<string, FoundFile>()
  const failures: CliError[] = []
  const leftOut: LeftOut[] = []
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
  const describe = (path: string, folder?: string): FoundFile => ({
    path,
    shown: show(path),
    ...(folder !== undefined && describeSlug(path, folder)),
    includeFolder: folder ?? dirname(path),
  })
  if (inputs.includes('')) throw usageError('an input is empty', 'name a file, or . for this folder')
  for (const input of inputs) {
    const add = (path: string, folder?: string): void => {
      const key = resolvePath(path)
      const error = folder === undefined || key === path ? undefined : findInputLink(path, folder, show(path))
      if (error !== undefined && options.leavesOutLinks !== true) return fail(error)
      if (error !== undefined) {
        messages.push({ ...diagnoseError(error, show(path)), severity: 'warning' })
        return
      }
      if (!isBetter({ path, folder }, files.get(key))) return
      files.set(key, describe(path, folder))
    }
    const addStdin = (): void => {
      const { stdinPath } = options
      if (stdinPath === undefined) files.set('-', { path: '-', shown: '<stdin>' })
      else files.set('-', { ...describe(stdinPath), path: '-', stdinPath })
    }
    const addPartial = (path: string, folder: string): void => {
      partials.set(resolveLinks(path), { ...describe(path, folder), kind: 'partial' })
    }
    const fail = (error: CliError): void => void failures.push(error)
    const omit = (path: string, kind: string): void => void leftOut.push({ shown: show(path), kind })
    if (input === '-') addStdin()
    else findInput(input, options, { add, addPartial, omit, fail, show })
  }
  for (const key of files.keys()) partials.delete(key)
  const skipped = [...partials.values()]
  return { files: [...files.values()], failures, leftOut, skipped, ...(messages.length > 0 && { messages }) }
}

/**
 * A file named directly is preferred to one that a search found, and a file to a link that points
 * to it.
 */
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
