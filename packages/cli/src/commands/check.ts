import { dirname, resolve } from 'node:path'
import type { Pack, PackCheck } from '@packs/codec/pack'
import type { Command } from 'commander'
import type { BaselineOutcome, BaselineRequest, CheckedPack } from '../baseline/apply-baseline.ts'
import { exitStatus, type ExitStatus, fileError, usageError } from '../cli-error.ts'
import type { SignerCheck, TrustedKey } from '../signers/signer-keys.ts'
import { loadConfig, type LoadedConfig } from '../config/load-config.ts'
import { addConfigOptions, type ConfigOptions, parseTolerance } from '../input/options.ts'
import type { FoundFile, FoundFiles } from '../input/find-files.ts'
import { findBuiltPacks } from '../input/read-pack.ts'
import { checkOutputLink } from '../input/search-bounds.ts'
import { MAX_PACK_BYTES, readBounded } from '../input/read-bounded.ts'
import { errorDiagnostic, type Diagnostic } from '../output/diagnostic.ts'
import {
  addDiagnosticOptions,
  isDocumentFormat,
  reportDiagnostics,
  type DiagnosticOptions,
} from '../output/report-diagnostics.ts'
import { describeError, type Problem } from '../output/report-error.ts'
import {
  escapeControls,
  formatPath,
  styleResult,
  writeJson,
  writeNote,
  writeResult,
} from '../output/terminal.ts'
import { createOverwriteGuard } from '../output/write-file.ts'

const HELP = `
Inputs are packs, globs, folders (every .pack.json file in them, recursively) and - for stdin; without inputs, the output folder
of the configuration, or dist. For each pack, the schema, id and digests are checked, the content is decoded and compared with
the digest of the source, and every figure is recounted. A count that is right only by the rules of an earlier version is a warning.
Signatures are verified, and the keys named. --key demands the signature of a key: a keys document, a public key in PEM or the id of
a key; with several, of one of them. An unsigned pack then fails, and so does one that a revoked key signed.

--baseline compares the tokens of each pack with a file in the repository, and fails where content and header grew by more than
the tolerance, and where a pack is new or gone; with --allow-new, new packs are listed and pass. A pack may always grow by 10 tokens, unless
the tolerance is 0. --update writes the file. Its name is that of the configuration, or packs.baseline.json.

Examples:
  $ pack check dist/tls.pack.json
  $ pack check dist/ --json
  $ pack check dist/ --key packs-keys.json                 fail unless one of these keys signed every pack
  $ pack check dist --baseline --update                   record the tokens of all packs
  $ pack check dist --baseline                            fail if one grew by more than 5 %
  $ pack check dist --baseline docs.json --tolerance 2
  $ pack check dist --baseline --allow-new                pass new packs
  $ pack check --baseline --format github --summary table.md`

interface CheckCommandOptions extends DiagnosticOptions, ConfigOptions {
  readonly key?: readonly string[]
  readonly baseline?: string | true
  readonly update?: boolean
  readonly tolerance?: number
  readonly allowNew?: boolean
  readonly summary?: string
  readonly json?: boolean
}

export function configure(command: Command): void {
  command
    .argument('[inputs...]', 'packs, globs, folders, or - for stdin')
    .option('--key <key>', 'demand a signature: id of a key, PEM or keys document; repeatable', collectKeys)
    .option('--baseline [file]', 'compare with the tokens that a file records')
    .option('--update', 'write the baseline')
    .option('--tolerance <percent>', 'growth of a pack that passes (default: 5)', parseTolerance)
    .option('--allow-new', 'let packs pass that the baseline does not have')
    .option('--summary <file>', 'write the comparison as markdown; - for stdout')
  addConfigOptions(addDiagnosticOptions(command)).addHelpText('after', HELP)
}

const collectKeys = (key: string, before: readonly string[] = []): readonly string[] => [...before, key]

export async function run(command: Command): Promise<ExitStatus> {
  const options = command.opts<CheckCommandOptions>()
  checkUsage(options)
  const isCompared = options.baseline !== undefined || options.update === true
  const comparison = isCompared ? await import('../baseline/apply-baseline.ts') : undefined
  const cwd = process.cwd()
  const isConfigured = isCompared || command.args.length === 0
  const config = isConfigured ? await loadConfig(cwd, options.config, true) : undefined
  const found = findBuiltPacks(command.args, config)
  const request = comparison && chooseBaseline(options, comparison.BASELINE_NAME, config, found)
  if (request?.summary !== undefined && request.summary !== '-')
    createOverwriteGuard([request, ...found.files])(resolve(request.summary), request.summary)
  // Read first: a baseline that cannot be used ends the command before packs are counted.
  const baseline = request && (await comparison.readBaseline(request))
  const keys = options.key && (await (await import('../signers/signer-keys.ts')).readTrustedKeys(options.key))
  const results: CheckResult[] = []
  for (const file of found.files) results.push(await checkFile(file, keys, comparison?.measurePack))
  for (const failure of found.failures) results.push(failedCheck(failure.file ?? '<stdin>', failure))
  const outcome = request && baseline && comparison.applyBaseline(baseline, request, results)
  const isOk = results.every(({ ok }) => ok) && (outcome?.isOk ?? true)
  if (options.json) {
    const packs = results.map(({ pack: _measured, ...result }) => result)
    writeJson({ ok: isOk, packs, ...(outcome && { baseline: outcome.document }) })
  } else report(results, outcome, options)
  return isOk ? exitStatus.done : exitStatus.findings
}

function checkUsage({ baseline, update, tolerance, allowNew, summary, json }: CheckCommandOptions): void {
  const given = { '--tolerance': tolerance, '--summary': summary, '--allow-new': allowNew }
  const option = Object.entries(given).find(([, value]) => value !== undefined)?.[0]
  if (baseline === undefined && !update && option !== undefined)
    throw usageError(`${option} needs a comparison`, 'add --baseline')
  if (baseline === '') throw usageError('--baseline is empty', 'name a file, or omit the name')
  if (summary === '') throw usageError('--summary is empty', 'name a file, or - for stdout')
  if (json && summary === '-')
    throw usageError('--summary - and --json both write to stdout', 'omit one of them')
}

function chooseBaseline(
  { baseline, update: isUpdate = false, allowNew: isNewAllowed = false, ...rest }: CheckCommandOptions,
  name: string,
  config: LoadedConfig | undefined,
  { files }: FoundFiles,
): BaselineRequest {
  const cwd = process.cwd()
  const folders = [...new Set(files.filter(({ path }) => path !== '-').map(({ path }) => dirname(path)))]
  const { file = name, tolerance: usual = 5 } = config?.config.baseline ?? {}
  const { tolerance = usual, summary } = rest
  const base = config?.folder ?? cwd
  const path = typeof baseline === 'string' ? resolve(cwd, baseline) : resolve(base, file)
  const shown = formatPath(path, cwd)
  if (typeof baseline !== 'string') checkOutputLink(path, base, shown)
  return { path, shown, tolerance, isUpdate, isNewAllowed, folders, summary }
}

interface CheckResult extends CheckedPack {
  readonly checks: readonly (PackCheck | SignerCheck)[]
  /** Ids of the keys that signed it, verified; undefined if that is not known. */
  readonly signers?: readonly string[] | undefined
  /** Why the file could not be checked. */
  readonly error?: Problem
}

async function checkFile(
  { path, shown }: FoundFile,
  keys: readonly TrustedKey[] | undefined,
  measure: ((pack: Pack) => CheckedPack['pack']) | undefined,
): Promise<CheckResult> {
  try {
    if (/\.(?:md|markdown|mdx)$/i.test(path)) {
      const hint = 'build it with `pack build`, and check the folder that this writes'
      throw fileError('invalid_pack', shown, 'is a source, not a pack', hint)
    }
    const bytes = await readBounded(path, MAX_PACK_BYTES, shown)
    const { checkPack, parsePack } = await import('@packs/codec/pack')
    const { loadTokenizer } = await import('../user-cache/load-tokenizer.ts')
    const checks: (PackCheck | SignerCheck)[] = await checkPack(bytes, { loadTokenizer })
    if (checks.some(({ name, ok }) => name === 'schema' && !ok)) return { file: shown, ok: false, checks }
    const pack = parsePack(bytes)
    const { judgeSigner, listSigners } = await import('../signers/signer-keys.ts')
    const signers = listSigners(pack, checks)
    if (keys && signers) checks.push(judgeSigner(signers, keys))
    return { file: shown, ok: checks.every(({ ok }) => ok), checks, signers, pack: measure?.(pack) }
  } catch (error) {
    if (describeError(error).code === 'internal') throw error
    return failedCheck(shown, error)
  }
}

function failedCheck(file: string, error: unknown): CheckResult {
  return { file, ok: false, checks: [], error: describeError(error) }
}

function report(
  results: readonly CheckResult[],
  outcome: BaselineOutcome | undefined,
  options: CheckCommandOptions,
): void {
  const failed = results.filter(({ ok }) => !ok)
  const isQuiet = options.quiet === true && failed.length === 0 && (outcome?.isOk ?? true)
  if (!isDocumentFormat(options) && !isQuiet) {
    // A comparison has a line for each changed pack; the others need none.
    const listed = outcome === undefined && !options.quiet ? results : failed
    for (const result of listed) writeResult(`${formatResult(result)}\n`)
    if (outcome) writeResult(outcome.text)
  }
  const isAnnotated = options.format !== undefined && options.format !== 'text'
  const diagnostics = [
    ...(isAnnotated ? results.flatMap(diagnoseResult) : []),
    ...(outcome?.diagnostics ?? []),
  ]
  if (isAnnotated || diagnostics.length > 0) reportDiagnostics(diagnostics, options)
  if (failed.length > 0) writeNote(`${failed.length} of ${results.length} failed`)
  if (outcome?.note !== undefined && !isQuiet) writeNote(outcome.note)
}

function diagnoseResult({ file, checks, error }: CheckResult): Diagnostic[] {
  if (error) return [errorDiagnostic(file, error.code, error.message, error.hint)]
  return checks.flatMap(({ name, ok, isOutdated, message: problem, hint = 'build the pack again' }) => {
    const message = `${name}: ${problem}`
    if (!ok) return errorDiagnostic(file, 'invalid_pack', message, hint)
    return isOutdated ? errorDiagnostic(file, OUTDATED, message, OUTDATED_HINT, 'warning') : []
  })
}

/** Rules of messages about packs that pass. */
type CheckRule = 'outdated-counts'

const OUTDATED: CheckRule = 'outdated-counts'
const OUTDATED_HINT = 'build the pack again for the counts of this version; its content is right'

function formatResult({ file, ok, checks, signers = [], error }: CheckResult): string {
  const name = escapeControls(file)
  if (ok) {
    const outdated = checks.filter(({ isOutdated }) => isOutdated)
    const lines = outdated.map(
      ({ name: check, message }) => `  warning: ${check}: ${escapeControls(message)}`,
    )
    if (lines.length > 0) lines.push(`  hint: ${OUTDATED_HINT}`)
    const signed = signers.length === 0 ? 'unsigned' : `signed by ${signers.join(', ')}`
    const first = `${styleResult('green', 'ok')}     ${name}  ${checks.length} checks, ${signed}`
    return [first, ...lines].join('\n')
  }
  const problems = error
    ? [`${error.code}: ${error.message}`, `  hint: ${error.hint}`]
    : checks
        .filter((check) => !check.ok)
        .flatMap(({ name: check, message, hint }) => [
          `${check}: ${message}`,
          ...(hint === undefined ? [] : [`  hint: ${hint}`]),
        ])
  return [
    `${styleResult('red', 'failed')} ${name}`,
    ...problems.map((problem) => `  ${escapeControls(problem)}`),
  ].join('\n')
}
