import { CliError } from '../cli-error.ts'
import { findFiles, type FoundFiles } from './find-files.ts'

/** Where to look for sources. */
export interface SourceSearch {
  readonly inputs: readonly string[]
  readonly cwd: string
  /** Absolute path of the output folder, which is not searched; `-` for stdout. */
  readonly folder: string
}

/** File names to take from folders and globs. */
const SOURCE_NAME = /\.(?:md|markdown)$/i

/**
 * Finds the sources that inputs name: files, globs, folders, and `-` for stdin.
 *
 * @throws CliError `no_sources` if there are no sources and no failures
 */
export function findSources({ inputs, cwd, folder }: SourceSearch): FoundFiles {
  const found = findFiles(inputs, { cwd, pattern: SOURCE_NAME, skip: folder })
  const files = found.files.filter(({ path }) => !isPack(path))
  const failures = [...found.failures, ...found.files.filter(({ path }) => isPack(path)).map(packInputError)]
  if (files.length === 0 && failures.length === 0) {
    const shown = inputs.join(', ')
    throw new CliError(
      'no_sources',
      `no markdown in ${shown === '.' ? 'this folder' : shown}`,
      'name files ending in .md or .markdown, or run `pack init` to create one',
    )
  }
  return { files, failures }
}

function isPack(path: string): boolean {
  return path.toLowerCase().endsWith('.pack.json')
}

function packInputError({ shown }: { readonly shown: string }): CliError {
  return new CliError(
    'not_a_source',
    `${shown} is already a pack`,
    'name its source, or run `pack decode` to get it',
    { file: shown },
  )
}

/**
 * Finds the packs that inputs name: files, globs, folders, and `-` for stdin.
 *
 * @throws CliError `no_packs` if there are no packs and no failures
 */
export function findPacks(inputs: readonly string[]): FoundFiles {
  const found = findFiles(inputs, { cwd: process.cwd(), pattern: /\.pack\.json$/i })
  if (found.files.length === 0 && found.failures.length === 0) {
    throw new CliError('no_packs', `no packs in ${inputs.join(', ')}`, 'build some with `pack build`')
  }
  return found
}
