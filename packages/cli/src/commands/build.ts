import { resolve } from 'node:path'
import { Option, type Command } from 'commander'
import type { BuildRunOptions } from '../build-run/create-requests.ts'
import type { BuildPlan } from '../build-run/watch-sources.ts'
import { type ExitStatus, usageError } from '../cli-error.ts'
import { loadConfig, type LoadedConfig } from '../config/load-config.ts'
import {
  createSchemeOption,
  addSourceOptions,
  CHOICES,
  type SourceOptions,
  BUILD_SECONDS_HELP,
  readBuildSeconds,
} from '../input/options.ts'
import { addDiagnosticOptions } from '../output/report-diagnostics.ts'
import { findLeftFolder, formatPath } from '@packs/files'
import { createOverwriteGuard, linkedOutputError } from '../output/write-file.ts'

const HELP = `
Inputs are files, globs, folders (their .md, .markdown and .mdx files) and - for stdin. The default is "sources" of the configuration, or else this folder. Folders and globs skip dot files, node_modules, what git and .packignore ignore, pages without text, drafts, unlisted pages, and names that begin with _; --drafts takes the last three. What is skipped is counted. Links are followed inside the repository, or without one inside the folder. Includes of mdBook and VitePress are resolved. The slug of docs/guides/tls.md is guides-tls if docs is named, and tls if the file is.

Schemes, from the lightest to the densest:
  minify-1  omits what only a renderer needs; any model reads the text
  dense-2   also replaces repeated phrases by terms, which a header explains; for large models
  max-2     as dense-2, and replaces in headings and tables too

The configuration is packs.config.{ts,mts,js,mjs,cjs,json} or "packs" in package.json, in this folder or, in a repository, the nearest one above it. The command line overrides front matter, and front matter the configuration.

A source with an error is not written and does not stop the others. Unchanged sources come from a cache. Packs whose source is gone are named; --clean removes them if nobody changed them. ${BUILD_SECONDS_HELP}

Examples:
  $ pack build notes.md                        write dist/notes.pack.json
  $ pack build docs/ -o packs --scheme dense-2
  $ cat notes.md | pack build - -o - > notes.pack.json`

interface BuildCommandOptions extends Omit<BuildRunOptions, 'buildSeconds'>, SourceOptions {
  readonly output?: string
  readonly dryRun?: boolean
  readonly watch?: boolean
}

export function configure(command: Command): void {
  addSourceOptions(command.optionsGroup('Input:'))
    .argument('[inputs...]', 'files, globs, folders, or - for stdin')
    .option('--stdin-name <path>', 'read stdin as the file of this path, which need not exist')
    .optionsGroup('Compression:')
    .addOption(createSchemeOption('default: minify-1'))
    .option('--no-code', 'dense-2, max-2: leave code unchanged, whatever the front matter says')
    .addOption(new Option('--tokenizer <name>', 'default: o200k_base').choices(CHOICES.tokenizer))
    .optionsGroup('Output:')
    .option('-o, --output <dir>', 'folder for <slug>.pack.json, default dist; - for stdout')
    .option('--dry-run', 'build and report, but write no packs; --report is still written')
    .option('--clean', 'remove packs of earlier builds whose source is gone')
    .option('--no-cache', 'build all sources again, and leave the build cache as it is')
    .option('-w, --watch', 'build again when a source changes')
    .optionsGroup('Report:')
    .option('--report <file>', 'write an offline HTML page: what each pack saves, and its text')
    .option('--all', 'show a row for each pack, not only for those that save most')
  addDiagnosticOptions(command)
    .addHelpText('after', HELP)
    // Without --no-code, the front matter decides.
    .setOptionValue('code', undefined)
}

export async function run(command: Command): Promise<ExitStatus> {
  const options = command.opts<BuildCommandOptions>()
  const plan = (): Promise<BuildPlan> => planBuild(command.args, options)
  if (options.watch) {
    const { watchSources } = await import('../build-run/watch-sources.ts')
    return watchSources(plan)
  }
  const { search, target, options: chosen } = await plan()
  const { resolveSources } = await import('../config/resolve-sources.ts')
  const { runBuild } = await import('../build-run/run-build.ts')
  const found = await resolveSources(search)
  if (target.folder === '-' && found.files.length > 1)
    throw usageError(`-o - needs one source, got ${found.files.length}`, 'name a folder with -o')
  if (options.report === undefined) return runBuild(found, target, chosen)
  const report = resolve(target.cwd, options.report)
  createOverwriteGuard(found.files)(report, options.report)
  return runBuild(found, target, { ...chosen, report })
}

/** Joins the command line and the configuration, which is read again with each call. */
async function planBuild(args: readonly string[], options: BuildCommandOptions): Promise<BuildPlan> {
  const cwd = process.cwd()
  const loaded = await loadConfig(cwd, options.config)
  checkUsage(args, options)
  const folder = options.output === '-' ? '-' : chooseFolder(cwd, options.output, loaded)
  const { createSourceSearch } = await import('../config/resolve-sources.ts')
  const search = createSourceSearch(args, options, cwd, folder, loaded)
  const inputs = search.inputs.map((input) => resolve(search.base ?? cwd, input))
  const { report: _report, ...given } = options
  const minSavings = loaded?.config.minSavings
  // The other settings of the configuration are added to each source when it is found.
  const rest = { ...given, ...(minSavings !== undefined && { minSavings }), buildSeconds: readBuildSeconds() }
  return { search, target: { folder, cwd, inputs, isDryRun: options.dryRun ?? false }, options: rest }
}

function chooseFolder(cwd: string, output: string | undefined, loaded: LoadedConfig | undefined): string {
  if (output !== undefined) return resolve(cwd, output)
  const base = loaded?.config.out === undefined ? cwd : loaded.folder
  const path = resolve(base, loaded?.config.out ?? 'dist')
  // The command line does not name it.
  const place = findLeftFolder(path, base)
  if (place === undefined) return path
  throw linkedOutputError(formatPath(path, cwd), `a symbolic link leads out of ${place}`)
}

function checkUsage(
  inputs: readonly string[],
  { output, json, watch, report, clean }: BuildCommandOptions,
): void {
  if (output === '') throw usageError('-o is empty', 'name a folder, or omit -o to write to dist')
  if (report !== undefined && !/\.html?$/i.test(report))
    throw usageError(`--report needs an HTML file, got ${report}`, 'name a file ending in .html')
  if (output === '-' && clean) throw usageError('--clean cannot be used with -o -', 'name a folder with -o')
  if (output === '-' && json) throw usageError('-o - and --json both write to stdout', 'omit one of them')
  if (!watch) return
  if (report !== undefined) throw usageError('--report cannot be used with --watch', 'omit one of them')
  if (json) throw usageError('--json cannot be used with --watch', 'omit one of them')
  if (output === '-' || inputs.includes('-'))
    throw usageError('--watch cannot read stdin or write to stdout', 'name files and a folder')
}
