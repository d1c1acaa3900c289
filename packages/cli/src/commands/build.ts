import { resolve } from 'node:path'
import { Option, type Command } from 'commander'
import type { BuildOverrides } from '../build-run/build-source.ts'
import { CliError } from '../cli-error.ts'
import type { ExitStatus } from '../exit-status.ts'
import { findSources } from '../input/find-inputs.ts'
import { parseCount, parsePercent } from '../input/option-values.ts'
import { createOverwriteGuard } from '../output/write-file.ts'
import { BUILD_SECONDS_HELP, readBuildSeconds } from '../input/build-seconds.ts'

const HELP = `
Inputs are files, globs, folders (every .md and .markdown file in them, recursively) and - for stdin. The default is the
current folder. Folders and globs skip dot files, node_modules and the matches of .gitignore and .packignore.
Nothing is written through a symbolic link in the output folder; the folder itself may be one.
A source with an error is not written and does not stop the others. Options override front matter.
${BUILD_SECONDS_HELP}
--report writes a page that shows source and content side by side, with each entry on both sides. It needs no network.

Examples:
  $ pack build notes.md                       write dist/notes.pack.json
  $ pack build docs/ -o packs --scheme dense-1
  $ pack build 'docs/**/*.md' --min-savings 5 --dry-run
  $ pack build docs/ --shared-rosetta web-security
  $ pack build docs/ --dry-run --report build.html
  $ cat notes.md | pack build - -o - > notes.pack.json
  $ pack build docs/ --watch`

/** Options of `pack build` as parsed by commander. */
interface BuildCommandOptions extends BuildOverrides {
  readonly output: string
  readonly minSavings?: number
  readonly dryRun?: boolean
  readonly watch?: boolean
  readonly json?: boolean
  readonly sharedRosetta?: string
  readonly report?: string
}

export function configure(command: Command): void {
  command
    .argument('[inputs...]', 'files, globs, folders, or - for stdin')
    .option('-o, --output <dir>', 'folder for <slug>.pack.json, created if missing; - for stdout', 'dist')
    .addOption(
      new Option('--scheme <name>', 'compression scheme').choices(['none', 'glossary-1', 'dense-1', 'max-1']),
    )
    .option('--code', 'glossary-1: also replace phrases in code')
    .option('--no-code', 'glossary-1: leave code unchanged')
    .addOption(
      new Option('--tokenizer <name>', 'tokenizer to count in').choices(['o200k_base', 'cl100k_base']),
    )
    .option('--budget <tokens>', 'maximum tokens of a pack, header included', parseCount)
    .option('--min-savings <percent>', 'fail packs with lower net savings', parsePercent)
    .addOption(new Option('--effort <level>', 'compression effort').choices(['fast', 'best']))
    .option(
      '--shared-rosetta <domain>',
      'one header for all packs of a domain, also written to <domain>.rosetta',
    )
    .option('--report <file>', 'write an HTML page that shows the tokens of each pack')
    .option('--dry-run', 'build and report, but write no packs; --report is still written')
    .option('-w, --watch', 'build again when a source changes')
    .addHelpText('after', HELP)
}

export async function run(command: Command): Promise<ExitStatus> {
  const options = command.opts<BuildCommandOptions>()
  const inputs = command.args.length === 0 ? ['.'] : command.args
  checkUsage(inputs, options)
  const cwd = process.cwd()
  const target = {
    folder: options.output === '-' ? '-' : resolve(cwd, options.output),
    cwd,
    isDryRun: options.dryRun ?? false,
  }
  const search = { inputs, cwd, folder: target.folder }
  const buildSeconds = readBuildSeconds()
  if (options.watch) {
    const { watchSources } = await import('../build-run/watch-sources.ts')
    return watchSources(search, target, { ...options, buildSeconds })
  }
  const { runBuild } = await import('../build-run/run-build.ts')
  const found = findSources(search)
  if (target.folder === '-' && found.files.length > 1) {
    throw new CliError('usage', `-o - needs one source, got ${found.files.length}`, 'name a folder with -o')
  }
  const { report, ...rest } = { ...options, buildSeconds }
  if (report === undefined) return runBuild(found, target, rest)
  createOverwriteGuard(found.files)(resolve(cwd, report), report)
  return runBuild(found, target, { ...rest, report: resolve(cwd, report) })
}

function checkUsage(
  inputs: readonly string[],
  { output, json, watch, sharedRosetta, report }: BuildCommandOptions,
): void {
  if (output === '') {
    throw new CliError('usage', '-o is empty', 'name a folder, or omit -o to write to dist')
  }
  if (report !== undefined && !/\.html?$/i.test(report)) {
    throw new CliError('usage', `--report needs an HTML file, got ${report}`, 'name a file ending in .html')
  }
  if (sharedRosetta !== undefined && (output === '-' || watch)) {
    throw new CliError(
      'usage',
      `--shared-rosetta cannot be used with ${watch ? '--watch' : '-o -'}`,
      watch ? 'omit --watch' : 'name a folder with -o',
    )
  }
  if (output === '-' && json) {
    throw new CliError('usage', '-o - and --json both write to stdout', 'omit one of them')
  }
  if (!watch) return
  if (report !== undefined)
    throw new CliError('usage', '--report cannot be used with --watch', 'omit one of them')
  if (json) throw new CliError('usage', '--json cannot be used with --watch', 'omit one of them')
  if (output === '-' || inputs.includes('-')) {
    throw new CliError('usage', '--watch cannot read stdin or write to stdout', 'name files and a folder')
  }
}
