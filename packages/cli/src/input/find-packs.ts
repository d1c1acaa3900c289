import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { CliError } from '../cli-error.ts'
import { formatPath } from '../output/terminal.ts'
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

/**
 * Finds the packs that inputs name, or without inputs those in the folder that `pack build` writes to.
 *
 * @throws CliError `no_packs` if there is no such folder, or if it has no packs
 */
export function findBuiltPacks(
  inputs: readonly string[],
  place: { readonly folder: string; readonly config: { readonly out?: string | undefined } } | undefined,
): FoundFiles {
  if (inputs.length > 0) return findPacks(inputs)
  const out = place?.config.out
  const folder =
    place === undefined || out === undefined ? 'dist' : formatPath(resolve(place.folder, out), process.cwd())
  if (existsSync(folder)) return findPacks([folder])
  const hint = 'build some packs with `pack build`, or name them'
  throw new CliError('no_packs', `there is no folder ${folder}`, hint)
}
