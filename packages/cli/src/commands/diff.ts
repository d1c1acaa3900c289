import { resolve } from 'node:path'
import { Option, type Command } from 'commander'
import { createBuildPool } from '../build-run/create-build-pool.ts'
import { exitStatus, type ExitStatus, usageError } from '../cli-error.ts'
import { loadConfig } from '../config/load-config.ts'
import {
  addConfigOptions,
  type ConfigOptions,
  BUILD_SECONDS_HELP,
  readBuildSeconds,
} from '../input/options.ts'
import { comparePacks } from '../diff/compare-packs.ts'
import {
  isRevisionOfSource,
  locateRevision,
  openRevision,
  openSide,
  type DiffSide,
  type SideContext,
} from '../diff/open-side.ts'
import { describeDiff, formatDiff } from '../diff/report-diff.ts'
import { writeJson, writeResult } from '../output/terminal.ts'

const HELP = `
Shows how two packs and their sources differ: tokens, fields of the front matter, entries of the header, headings and words. A name is
  FILE            a pack, or a source, which is built as pack build does
  SLUG@VERSION    a version of the catalog, which needs @packs/server
  REVISION:PATH   a source of a git revision; the path is from the root of the repository, or begins with ./
With one file, its version of the last commit is compared with it, or that of --rev.
The exit status is 0, even where they differ, unless --exit-code is given.
${BUILD_SECONDS_HELP}

Examples:
  $ pack diff docs/tls.md                              since the last commit
  $ pack diff --rev main docs/tls.md
  $ pack diff main:docs/tls.md docs/tls.md
  $ pack diff old/tls.pack.json dist/tls.pack.json --json
  $ pack diff tls-basics@1.0.0 tls-basics@1.1.0`

interface DiffCommandOptions extends ConfigOptions {
  readonly rev?: string
  readonly exitCode?: boolean
  readonly data: string
  readonly json?: boolean
}

export function configure(command: Command): void {
  command
    .argument('<before>', 'a pack, a source, SLUG@VERSION or REVISION:PATH')
    .argument('[after]', 'the same, to compare with')
    .option('--rev <revision>', 'compare a file with its version of this git revision')
    .option('--exit-code', 'exit with 1 if they differ')
    .addOption(
      new Option('--data <dir>', 'folder of the embedded catalog').env('PACK_DATA').default('.packs'),
    )
  addConfigOptions(command).addHelpText('after', HELP)
}

export async function run(command: Command): Promise<ExitStatus> {
  const { rev, exitCode, data, json, config: named } = command.opts<DiffCommandOptions>()
  const [first = '', second] = command.args
  if ([first, second, rev].includes(''))
    throw usageError('a name is empty', 'name a pack, a source, a version or a revision')
  if (rev !== undefined && second !== undefined)
    throw usageError('--rev compares one file, got two', 'omit --rev or the second name')
  const cwd = process.cwd()
  const pool = createBuildPool(readBuildSeconds())
  try {
    const context: SideContext = {
      cwd,
      config: await loadConfig(cwd, named, true),
      pool,
      hasRevision: second === undefined || [first, second].some((name) => isRevisionOfSource(name, cwd)),
      async openVersion(name) {
        // The catalog package is loaded only for a version of the catalog.
        const { loadServer } = await import('../server/load-server.ts')
        const { openVersion } = await loadServer('a version of the catalog')
        return openVersion((await import('../server/host.ts')).host, name, data)
      },
    }
    const [before, after] =
      second === undefined
        ? await openRevisionOf(first, rev ?? 'HEAD', context)
        : [await openSide(first, context), await openSide(second, context)]
    const comparison = comparePacks(before, after)
    if (json) writeJson(describeDiff(before, after, comparison))
    else writeResult(`${formatDiff(before, after, comparison).join('\n')}\n`)
    return exitCode && comparison.isDifferent ? exitStatus.findings : exitStatus.done
  } finally {
    await pool.close()
  }
}

/** Opens a file, and before it its version of a revision. */
async function openRevisionOf(
  name: string,
  revision: string,
  context: SideContext,
): Promise<[before: DiffSide, after: DiffSide]> {
  const located = locateRevision(revision, resolve(context.cwd, name))
  const after = await openSide(name, context)
  if (after.kind === 'version' || after.kind === 'revision')
    throw usageError(`${name} is not a file to compare with ${revision}`, 'name a file, or two names')
  return [await openRevision(located, `${revision}:${name}`, context), after]
}
