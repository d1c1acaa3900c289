import { CliError } from '../cli-error.ts'
import { findFiles, type FoundFiles } from './find-files.ts'

/** Inputs of a build, and the folder it writes to (`-` for stdout). */
export interface SourceSearch {
  readonly inputs: readonly string[]
  readonly cwd: string
  readonly folder: string
}

/** Names that folders and globs give as sources. */
export const SOURCE_NAME: RegExp = /\.(?:md|markdown)$/i

/**
 * Finds the sources that inputs stand for.
 *
 * @throws CliError `no_sources` where there is nothing to build and no input was wrong
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
      'name files ending in .md or .markdown, or run `pack init` for a first one',
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
    `${shown} is a pack already`,
    'name its source, or run `pack decode` to get it',
    {
      file: shown,
    },
  )
}

/**
 * Finds the packs that inputs stand for: files, globs, folders, and `-` for stdin.
 *
 * @throws CliError `no_packs` where there are none and no input was wrong
 */
export function findPacks(inputs: readonly string[]): FoundFiles {
  const found = findFiles(inputs, { cwd: process.cwd(), pattern: /\.pack\.json$/i })
  if (found.files.length === 0 && found.failures.length === 0) {
    throw new CliError('no_packs', `no packs in ${inputs.join(', ')}`, 'build some with `pack build`')
  }
  return found
}
