import { dirname, resolve } from 'node:path'
import type { PackCheck } from '@packs/codec/pack'
import type { Command } from 'commander'
import { exitStatus, type ExitStatus, fileError, usageError } from '../cli-error.ts'
import {
  judgeSigner,
  listSigners,
  readTrustedKeys,
  type SignerCheck,
  type TrustedKey,
} from '../signers/signer-keys.ts'
import { loadConfig } from '../config/load-config.ts'
import type { CheckComparison, ComparedPack } from '../diff/compare-checks.ts'
import { addConfigOptions, type ConfigOptions, parseGrowth } from '../input/options.ts'
import { type Diagnostic, errorDiagnostic, type FoundFile, MAX_PACK_BYTES, readBounded } from '@packs/files'
import { findBuiltPacks } from '../input/read-pack.ts'
import { mapInTurn } from '../output/progress.ts'
import { reportDiagnostics } from '../output/report-diagnostics.ts'
import { describeError, type Problem } from '../output/report-error.ts'
import {
  escapeControls,
  formatNumber,
  isWorkflow,
  styleResult,
  writeLine,
  writeResult,
} from '../output/terminal.ts'
import { createOverwriteGuard, writeAtomic } from '../output/write-file.ts'

const HELP = `
Inputs are packs, globs, folders (every .pack.json file in them, recursively) and - for stdin; without inputs, the output folder of the configuration, or dist. For each pack, the schema, id and digests are checked, the source is restored, compared with its digest and minified again, so that people and models read one text, and every figure is recounted. What needs a part that the document does not have (links, patch) is skipped. Signatures are verified, and the keys named. --key demands the signature of a key: a keys document, a public key in PEM or the id of a key; with several, of one of them. An unsigned pack then fails, and so does one that a revoked key signed.

--against compares the tokens of each pack with a file that an earlier \`pack check --json\` wrote, and fails where content and header grew by more than --max-growth and where a pack is gone. New packs are listed and pass. A pack may always grow by 10 tokens, unless the growth is 0%. --json has a line for each pack, sorted by slug, so that branches merge.

Examples:
  $ pack check dist --json > packs.json     record the tokens, to compare later with --against packs.json`

interface CheckCommandOptions extends ConfigOptions {
  readonly key?: readonly string[]
  readonly against?: string
  readonly maxGrowth?: number
  readonly summary?: string
  readonly quiet?: boolean
  readonly json?: boolean
}

export function configure(command: Command): void {
  command
    .argument('[inputs...]', 'packs, globs, folders, or - for stdin')
    .option('--key <key>', 'demand a signature: id of a key, PEM or keys document; repeatable', collectKeys)
    .option('--against <file>', 'compare with the --json of an earlier check')
    .option('--max-growth <percent>', 'growth of a pack that passes (default: 5%)', parseGrowth)
    .option('--summary <file>', 'write the comparison as markdown; - for stdout')
    .option('-q, --quiet', 'print only what failed')
  addConfigOptions(command).addHelpText('after', HELP)
}

const collectKeys = (key: string, before: readonly string[] = []): readonly string[] => [...before, key]

export async function run(command: Command): Promise<ExitStatus> {
  const options = command.opts<CheckCommandOptions>()
  checkUsage(options)
  const { against, maxGrowth = 5, summary } = options
  const cwd = process.cwd()
  const config = command.args.length === 0 ? await loadConfig(cwd, options.config, true) : undefined
  const found = findBuiltPacks(command.args, config)
  const path = against === undefined ? undefined : resolve(against)
  if (path !== undefined && summary !== undefined && summary !== '-') {
    const inputs = [{ path, shown: against! }, ...found.files]
    createOverwriteGuard(inputs)(resolve(summary), summary)
  }
  const comparison = path === undefined ? undefined : await import('../diff/compare-checks.ts')
  // Read first: a file that cannot be used ends the command before packs are counted.
  const earlier = path === undefined ? undefined : await comparison?.readEarlierCheck(path, against!)
  const keys = options.key && (await readTrustedKeys(options.key))
  const isQuiet = options.json ?? false
  const results = await mapInTurn('checking', found.files, isQuiet, (file) => checkFile(file, keys))
  for (const failure of found.failures) results.push(failedCheck(failure.file ?? '<stdin>', failure))
  const files = found.files.filter((file) => file.path !== '-')
  const folders = [...new Set(files.map((file) => dirname(file.path)))]
  const outcome =
    earlier && comparison?.compareChecks(earlier, results, { shown: against!, maxGrowth, folders })
  if (outcome && summary !== undefined && summary !== '-')
    writeAtomic(resolve(summary), Buffer.from(outcome.markdown))
  const isOk = results.every(({ ok }) => ok) && (outcome?.isOk ?? true)
  if (options.json) writeResult(formatDocument(isOk, results, outcome))
  else report(results, outcome, options)
  return isOk ? exitStatus.done : exitStatus.findings
}

function checkUsage({ against, maxGrowth, summary, json }: CheckCommandOptions): void {
  const given = { '--max-growth': maxGrowth, '--summary': summary }
  const option = Object.entries(given).find(([, value]) => value !== undefined)?.[0]
  if (against === undefined && option !== undefined)
    throw usageError(`${option} needs a comparison`, 'add --against FILE')
  if (against === '') throw usageError('--against is empty', 'name a file')
  if (summary === '') throw usageError('--summary is empty', 'name a file, or - for stdout')
  if (json && summary === '-')
    throw usageError('--summary - and --json both write to stdout', 'omit one of them')
}

/**
 * Each pack has a line of its own, sorted by slug, and the comma comes first, so that adding a
 * line, even the last one, changes no other line, and branches merge.
 */
function formatDocument(
  isOk: boolean,
  results: readonly CheckResult[],
  outcome: CheckComparison | undefined,
): string {
  const sorted = results.toSorted((a, b) => {
    const [one, other] = [a, b].map(({ pack, file }) => pack?.slug ?? `~${file}`) as [string, string]
    return one < other ? -1 : Number(one > other)
  })
  const lines = sorted.map(({ pack, ...result }) => JSON.stringify({ ...pack, ...result }))
  const against = outcome ? `,\n  "against": ${JSON.stringify(outcome.document)}` : ''
  const list = lines.length === 0 ? '[]' : `[\n    ${lines.join('\n   ,')}\n  ]`
  return `{\n  "ok": ${isOk},\n  "packs": ${list}${against}\n}\n`
}

interface CheckResult extends ComparedPack {
  readonly ok: boolean
  readonly checks: readonly (PackCheck | SignerCheck)[]
  /** Ids of the keys that signed it, verified; undefined if that is not known. */
  readonly signers?: readonly string[] | undefined
  readonly error?: Problem
}

async function checkFile(
  { path, shown }: FoundFile,
  keys: readonly TrustedKey[] | undefined,
): Promise<CheckResult> {
  try {
    if (/\.(?:md|markdown|mdx)$/i.test(path)) {
      const hint = 'build it with `pack build`, and check the folder that this writes'
      throw fileError('invalid_pack', shown, 'is a source, not a pack', hint)
    }
    const bytes = await readBounded(path, MAX_PACK_BYTES, shown)
    const { checkPack, parsePack } = await import('../input/pack-format.ts')
    const { loadTokenizer } = await import('../user-cache/load-tokenizer.ts')
    const checks: (PackCheck | SignerCheck)[] = await checkPack(bytes, { loadTokenizer })
    if (checks.some(({ name, ok }) => name === 'schema' && !ok)) return { file: shown, ok: false, checks }
    const pack = parsePack(bytes)
    const signers = listSigners(pack, checks)
    if (keys && signers) checks.push(judgeSigner(signers, keys))
    const { slug, tokenizer, uncompressed_estimate, token_count, rosetta_tokens, net_savings_pct } = pack
    const counts = { uncompressed_estimate, token_count, rosetta_tokens, net_savings_pct }
    const ok = checks.every((check) => check.ok)
    return { file: shown, ok, checks, signers, pack: { slug, tokenizer, ...counts } }
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
  outcome: CheckComparison | undefined,
  options: CheckCommandOptions,
): void {
  const failed = results.filter(({ ok }) => !ok)
  if (!options.quiet || failed.length > 0 || outcome?.isOk === false) {
    if (outcome === undefined || failed.length > 0) writeLine(formatVerdict(results, failed))
    const lines = failed.flatMap(formatFailure)
    if (options.summary !== '-') lines.push(...(outcome?.text ?? []))
    for (const line of lines) writeLine(line, '    ')
    if (outcome && options.summary === '-') writeResult(outcome.markdown)
  }
  const faults = isWorkflow() ? results.flatMap(diagnoseResult) : []
  reportDiagnostics([...faults, ...(outcome?.diagnostics ?? [])], { ...options, verbose: true })
}

const REBUILD = 'build it again from its source, or get it again from its publisher'

function diagnoseResult({ file, checks, error }: CheckResult): Diagnostic[] {
  if (error) return [errorDiagnostic(file, error.code, error.message, error.hint)]
  return checks.flatMap(({ name, ok, message, hint = REBUILD }) =>
    ok ? [] : errorDiagnostic(file, 'invalid_pack', `${name}: ${message}`, hint),
  )
}

/** Such as `12 packs pass; none signed`, or `2 of 12 packs failed`. */
function formatVerdict(results: readonly CheckResult[], failed: readonly CheckResult[]): string {
  const all = formatNumber(results.length, 'pack')
  if (failed.length > 0) return styleResult('red', `${failed.length} of ${all} failed`)
  const signed = results.filter(({ signers = [] }) => signers.length > 0)
  const keys = [...new Set(signed.flatMap(({ signers = [] }) => signers))].join(', ')
  const skipped = results.flatMap(({ checks }) => checks).filter((check) => 'skipped' in check).length
  const rest = skipped === 0 ? '' : `; ${formatNumber(skipped, 'check')} skipped`
  const verb = results.length === 1 ? 'passes' : 'pass'
  const none = results.length === 1 ? 'not ' : 'none '
  const count = signed.length === results.length ? '' : signed.length > 0 ? `${signed.length} ` : none
  return `${styleResult('green', `${all} ${verb}`)}; ${count}signed${keys && ` by ${keys}`}${rest}`
}

function formatFailure({ file, checks, error }: CheckResult): string[] {
  const failed = error ? [{ ...error, name: error.code }] : checks.filter((check) => !check.ok)
  const problems = failed.map(({ name, message }) => `${name}: ${message}`)
  const hints = new Set(failed.map(({ hint = REBUILD }) => `hint: ${hint}`))
  return [
    `${styleResult('red', 'failed')} ${escapeControls(file)}`,
    ...[...problems, ...hints].map((line) => `  ${escapeControls(line)}`),
  ]
}
