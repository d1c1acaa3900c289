import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findForeignWriter, readText } from '@packs/files'
import type * as evaluation from '@packs/eval'
import { addStatuses, CliError, exitStatus, fileError } from '../cli-error.ts'
import { parseCount, readBuildSeconds } from '../input/options.ts'
import { startProgress } from '../output/progress.ts'
import {
  escapeControls,
  formatCount,
  formatTable,
  readColumns,
  styleResult,
  writeJson,
  writeNote,
  writeResult,
} from '../output/terminal.ts'
import { makeOutputFolder, writeAtomic } from '../output/write-file.ts'
import { openComposer } from '../prompt/open-composer.ts'
import { readPacks } from '../prompt/read-packs.ts'
import { type CommandModule, loadPackage } from '../server/load-server.ts'

export async function loadEvalCommand(): Promise<CommandModule> {
  const { evalCommand } = await loadPackage<typeof evaluation>('@packs/eval', 'pack eval')
  const { configure, run, exitOfCode } = evalCommand
  addStatuses(exitOfCode)
  return {
    configure: (command) => configure(command, host),
    run: async (command) => exitStatus[await run(command, host)],
  }
}

/** Shortest value of the environment that is taken for a secret. */
const MIN_SECRET = 8

/** Input and output of this program, for `@packs/eval`. */
const host: evaluation.Host = {
  readPacks: async (inputs, isQuiet) => (await readPacks(inputs, { isPartEnough: false, isQuiet })).packs,
  openComposer(isQuiet) {
    const { compose, close } = openComposer(readBuildSeconds(), isQuiet)
    return { compose: (documents, shown, options) => compose({ documents, options }, shown), close }
  },
  importFile,
  readText,
  writeFile(path, text) {
    makeOutputFolder(dirname(path))
    writeAtomic(path, Buffer.from(text))
  },
  // Dummy keys of local endpoints, such as "none", are words of answers too.
  readSecrets: () =>
    Object.entries(process.env).flatMap(([name, value = '']) =>
      /KEY|TOKEN|SECRET|PASSWORD/.test(name) && value.length >= MIN_SECRET ? [value] : [],
    ),
  readKey: () => process.env['PACK_EVAL_KEY'] || undefined,
  parseCount,
  columns: Math.max(40, Math.min(100, readColumns())),
  writeResult,
  writeJson,
  writeNote,
  styleResult,
  escapeControls,
  formatTable,
  formatCount,
  startProgress,
}

async function importFile(names: readonly string[]): Promise<Readonly<Record<string, unknown>> | undefined> {
  const name = names.find((one) => existsSync(one))
  if (name === undefined) return undefined
  const path = join(process.cwd(), name)
  const foreign = findForeignWriter(path)
  if (foreign !== undefined) {
    const hint = 'make sure that only you own and can write it (chown, chmod go-w), or remove it'
    throw fileError('untrusted_file', name, `is not used: ${foreign.path} ${foreign.fault}`, hint)
  }
  const { createJiti } = await import('jiti')
  try {
    return await createJiti(import.meta.url, { fsCache: false }).import(path)
  } catch (error) {
    const hint = 'correct it: it exports { model } by default; install the packages that it imports beside it'
    const details = { file: name, cause: error }
    throw new CliError('config_failed', `${name} failed: ${(error as Error).message}`, hint, details)
  }
}
