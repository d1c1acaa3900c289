import { resolve } from 'node:path'
import type { Command } from 'commander'
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
  isFolder,
  isRevisionOfSource,
  locateRevision,
  openFolder,
  openRevision,
  openSide,
  type DiffSide,
  type SideContext,
} from '../diff/open-side.ts'
import { describeDiff, formatDiff } from '../diff/report-diff.ts'
import { withActivity } from '../output/progress.ts'
import { escapeControls, writeJson, writeLine } from '../output/terminal.ts'

const HELP = `
Shows how two packs and their sources differ: tokens, fields of the front matter, entries of the header, and words. A name is
  FILE            a pack, or a source, which is built as pack build does
  FOLDER          its packs and sources, each compared with that of another folder with the same slug or path
  SLUG@VERSION    a version of the embedded catalog in PACK_DATA, .packs if unset, which needs @packs/server
  REVISION:PATH   a source of a git revision; the path is from the root of the repository, or begins with ./
With one file, its version of the last commit is compared with it, or that of --rev. The exit status is 0, even where they differ, unless --exit-code is given. ${BUILD_SECONDS_HELP}

Examples:
  $ pack diff docs/tls.md                              since the last commit
  $ pack diff old-docs/ docs/                          page by page`

interface DiffCommandOptions extends ConfigOptions {
  readonly rev?: string
  readonly exitCode?: boolean
  readonly json?: boolean
}

export function configure(command: Command): void {
  command
    .argument('<before>', 'a pack, a source, a folder, SLUG@VERSION or REVISION:PATH')
    .argument('[after]', 'the same, to compare with')
    .option('--rev <revision>', 'compare a file with its version of this git revision')
    .option('--exit-code', 'exit with 1 if they differ')
  addConfigOptions(command).addHelpText('after', HELP)
}

export async function run(command: Command): Promise<ExitStatus> {
  const { rev, exitCode, json, config: named } = command.opts<DiffCommandOptions>()
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
        const { PACK_DATA: data = '.packs' } = process.env
        return openVersion((await import('../server/host.ts')).host, name, data)
      },
    }
    const isDifferent =
      second !== undefined && isFolder(first) && isFolder(second)
        ? await compareFolders(first, second, context, json)
        : await compareFiles(first, second, rev, context, json)
    return exitCode && isDifferent ? exitStatus.findings : exitStatus.done
  } finally {
    await pool.close()
  }
}

async function compareFiles(
  first: string,
  second: string | undefined,
  revision: string | undefined,
  context: SideContext,
  json: boolean | undefined,
): Promise<boolean> {
  const [before, after] = await withActivity('comparing', json, async () =>
    second === undefined
      ? openRevisionOf(first, revision ?? 'HEAD', context)
      : ([await openSide(first, context), await openSide(second, context)] as const),
  )
  const comparison = comparePacks(before, after)
  if (json) writeJson({ ok: true, ...describeDiff(before, after, comparison) })
  else for (const line of formatDiff(before, after, comparison)) writeLine(line, '    ')
  return comparison.isDifferent
}

/** Compares what has the same slug. Text lists only what differs. */
async function compareFolders(
  first: string,
  second: string,
  context: SideContext,
  json: boolean | undefined,
): Promise<boolean> {
  const open = async () => [await openFolder(first, context), await openFolder(second, context)] as const
  const [before, after] = await withActivity('comparing', json, open)
  const pairs = before.flatMap((old) => {
    const now =
      after.find(({ pack }) => pack.slug === old.pack.slug) ??
      after.find(({ path }) => path !== undefined && path === old.path)
    return now === undefined ? [] : [[old, now, comparePacks(old, now)] as const]
  })
  const paired = new Set(pairs.flatMap(([old, now]) => [old, now]))
  const [removed, added] = [before, after].map((sides) =>
    sides.filter((side) => !paired.has(side)).map(({ name }) => name),
  ) as [string[], string[]]
  const changed = pairs.filter(([, , { isDifferent }]) => isDifferent)
  const isDifferent = changed.length + removed.length + added.length > 0
  if (json) {
    const packs = pairs.map(([old, now, comparison]) => describeDiff(old, now, comparison))
    writeJson({ ok: true, different: isDifferent, packs, added, removed })
  } else {
    const others = Object.entries({ new: added, removed }).filter(([, names]) => names.length > 0)
    const counts = others.map(([what, names]) => `, ${names.length} ${what}`)
    writeLine(`${changed.length} of ${pairs.length} differ${counts.join('')}`)
    for (const [what, names] of others) writeLine(`${what}: ${escapeControls(names.join(', '))}`)
    for (const [old, now, comparison] of changed)
      for (const line of ['', ...formatDiff(old, now, comparison)]) writeLine(line, '    ')
  }
  return isDifferent
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
