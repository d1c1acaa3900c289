import { basename, dirname, relative, sep } from 'node:path'
import { derivePathSlug } from '@packs/codec/slug'
import ignore from 'ignore'
import { CliError, fileError } from '../cli-error.ts'
import type { LeftOut } from '../output/diagnostic.ts'
import { findFiles, type FindOptions, type FoundFile, type FoundFiles } from './find-files.ts'
import type { IgnoreRules } from './search-bounds.ts'

export interface SourceSearch extends Pick<FindOptions, 'cwd' | 'base' | 'stdinPath'> {
  readonly inputs: readonly string[]
  /** Absolute path of the output folder, which is not searched; `-` for stdout. */
  readonly folder: string
  /** Extensions in addition to `.md`, `.markdown` and `.mdx`. */
  readonly extensions?: readonly string[]
  /** Patterns in the syntax of `.gitignore`, relative to a folder. */
  readonly ignore?: { readonly folder: string; readonly patterns: readonly string[] }
}

const EXTENSIONS = ['md', 'markdown', 'mdx']

/**
 * Finds the sources that inputs name: files, globs, folders, and `-` for stdin.
 *
 * A file in a folder or glob gets a slug from its path there, unless that is the slug of its name. A README beside an index is
 * left out, unless it is named directly.
 *
 * @throws CliError `no_sources` if there are no sources and no failures
 */
export function findSources(search: SourceSearch): FoundFiles {
  const { inputs, cwd, base, folder } = search
  const extensions = [...EXTENSIONS, ...(search.extensions ?? []).map((name) => name.replace(/^\./, ''))]
  const { files, failures, leftOut } = findFiles(inputs, {
    cwd,
    ...(base !== undefined && { base }),
    ...(search.stdinPath !== undefined && { stdinPath: search.stdinPath }),
    pattern: createPattern(extensions),
    skip: folder,
    ...(search.ignore && { isIgnored: createIgnored(search.ignore) }),
  })
  const { kept, readmes } = separateReadmes(files.filter((file) => !isPack(file)))
  const sources = kept.map((file) => addSlug(file, extensions))
  const errors = [...failures, ...files.filter(isPack).map(packInputError)]
  if (sources.length === 0 && errors.length === 0) throw noSourcesError(inputs, leftOut.length > 0)
  return { files: sources, failures: errors, leftOut: [...leftOut, ...readmes] }
}

/**
 * Separates each README of a folder that has an index too. Both would have the slug of their folder, and the tools of sites
 * take the index: such a README is for readers of the repository.
 */
function separateReadmes(files: readonly FoundFile[]): {
  readonly kept: readonly FoundFile[]
  readonly readmes: readonly LeftOut[]
} {
  const isIndex = ({ path }: FoundFile): boolean => /^_?index\.[^.]+$/i.test(basename(path))
  const folders = new Set(files.filter(isIndex).map(({ path }) => dirname(path)))
  const { kept = [], readmes = [] } = Object.groupBy(files, ({ path, slugPath }) =>
    slugPath !== undefined && /^readme\.[^.]+$/i.test(basename(path)) && folders.has(dirname(path))
      ? 'readmes'
      : 'kept',
  )
  return { kept, readmes: readmes.map(({ shown }) => ({ shown, kind: 'README beside an index' })) }
}

/** Extensions consist of letters, digits, `_`, `-` and dots. */
function createPattern(extensions: readonly string[]): RegExp {
  return new RegExp(
    String.raw`\.(?:${extensions.map((name) => name.replaceAll('.', String.raw`\.`)).join('|')})$`,
    'i',
  )
}

function createIgnored({ folder, patterns }: Required<SourceSearch>['ignore']): IgnoreRules {
  const rules = ignore().add(patterns)
  return (path, isFolder) => {
    const name = relative(folder, path).split(sep).join('/')
    return name !== '' && ignore.isPathValid(name) && rules.ignores(isFolder ? `${name}/` : name)
  }
}

/** Names of this length and more are cut in a slug of the name alone. */
const LONG_NAME = 100

function addSlug(file: FoundFile, extensions: readonly string[]): FoundFile {
  const { path, slugPath, slugFolder } = file
  if (slugPath === undefined) return file
  const slug = derivePathSlug(slugPath.replace(createPattern(extensions), ''), slugFolder)
  const name = basename(path)
  const isNameSlug = name.length < LONG_NAME && slug === derivePathSlug(name, basename(dirname(path)))
  return isNameSlug ? file : { ...file, given: { ...file.given, slug } }
}

function isPack({ path, stdinPath = path }: FoundFile): boolean {
  return stdinPath.toLowerCase().endsWith('.pack.json')
}

function packInputError({ shown }: { readonly shown: string }): CliError {
  return fileError(
    'not_a_source',
    shown,
    'is already a pack',
    'name its source, or run `pack decode` to get it',
  )
}

function noSourcesError(inputs: readonly string[], hasOthers: boolean): CliError {
  const shown = inputs.join(', ')
  return new CliError(
    'no_sources',
    `no markdown in ${shown === '.' ? 'this folder' : shown}`,
    hasOthers
      ? 'name files directly, or take other extensions with --ext, such as --ext .txt'
      : 'name files ending in .md, .markdown or .mdx, or run `pack init` to create one',
  )
}
