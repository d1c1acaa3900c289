import { CliError } from '../cli-error.ts'
import { identifyFile } from './identify-file.ts'

/** Refuses an output that is a source. @throws CliError `file_exists` */
export type SourceGuard = (output: string, shown: string) => void

/** Creates a guard that keeps a build from writing over its own sources, by whatever name or link. */
export function guardSources(sources: readonly { readonly path: string }[]): SourceGuard {
  let known: ReadonlySet<string | undefined> | undefined
  return (output, shown) => {
    const file = identifyFile(output)
    if (file === undefined) return
    known ??= new Set(sources.map(({ path }) => identifyFile(path)))
    if (!known.has(file)) return
    throw new CliError(
      'file_exists',
      `${shown} is a source of this build`,
      'name another place to write to',
      {
        file: shown,
      },
    )
  }
}
