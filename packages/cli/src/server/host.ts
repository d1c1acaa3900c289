import type { Scheme } from '@packs/codec'
import type { SourceDefaults } from '@packs/codec/pack'
import type { FoundSources, Host } from '@packs/server'
import {
  BUILD_SECONDS_HELP,
  readBuildSeconds,
  addSourceOptions,
  createSchemeOption,
  type SourceOptions,
  parseCount,
} from '../input/options.ts'
import type { Command } from 'commander'
import { locateMessages } from '../build-run/create-requests.ts'
import { loadConfig } from '../config/load-config.ts'
import { toDiagnostic } from '../output/diagnostic.ts'
import { describeLeftOut, readSourceFile, runGit } from '@packs/files'
import {
  formatCount,
  formatPercent,
  formatTable,
  escapeControls,
  quotePath,
  readColumns,
  styleNote,
  styleResult,
  writeJson,
  writeLine,
  writeResult,
  writeStyled,
} from '../output/terminal.ts'
import { startProgress } from '../output/progress.ts'
import { reportDiagnostics } from '../output/report-diagnostics.ts'
import { describeError } from '../output/report-error.ts'

async function findCommandSources(command: Command, folder: string): Promise<FoundSources> {
  const cwd = process.cwd()
  const options = command.opts<SourceOptions & { verbose?: boolean; scheme?: Scheme }>()
  const loaded = await loadConfig(cwd, options.config)
  const { createSourceSearch, resolveSources } = await import('../config/resolve-sources.ts')
  const search = createSourceSearch(command.args, options, cwd, folder, loaded)
  const { files: found, failures, leftOut, skipped, messages } = await resolveSources(search)
  const files = options.scheme === undefined ? found : found.map((file) => setScheme(file, options.scheme!))
  return { files, failures, skipped, messages: [...messages, ...describeLeftOut(leftOut, options.verbose)] }
}

/** The scheme in the front matter of a source does not count. */
function setScheme<File extends { readonly defaults?: SourceDefaults }>(file: File, scheme: Scheme): File {
  const frontMatterMap = { ...file.defaults?.frontMatterMap, compression: false as const }
  return { ...file, defaults: { ...file.defaults, compression: scheme, frontMatterMap } }
}

export const host: Host = {
  addSourceOptions,
  createSchemeOption,
  findSources: findCommandSources,
  async readSource(file) {
    const { bytes, messages, findLine } = await readSourceFile(file)
    return { bytes, messages, place: (diagnostics) => locateMessages(diagnostics, { findLine }) }
  },
  readSigningKey: async (path) => (await import('../signers/signer-keys.ts')).readSigningKey(path),
  runGit,
  parseCount,
  readBuildSeconds,
  buildSecondsHelp: BUILD_SECONDS_HELP,
  writeResult,
  writeJson,
  writeLine,
  writeNote: writeStyled,
  styleResult,
  styleNote,
  escapeControls,
  formatTable,
  formatCount,
  formatPercent,
  quotePath,
  readColumns,
  startProgress,
  toDiagnostic,
  reportDiagnostics: (diagnostics, verbose) => reportDiagnostics(diagnostics, { verbose }),
  describeError,
}
