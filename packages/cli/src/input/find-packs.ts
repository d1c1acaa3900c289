import { CliError } from '../cli-error.ts'
import { findFiles, type FoundFiles } from './find-files.ts'

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
