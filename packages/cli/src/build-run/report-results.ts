import { type CliError, exitStatus, type ExitStatus, findStatus } from '../cli-error.ts'
import { countKinds, describeLeftOut, type Diagnostic, formatPath, type LeftOut } from '@packs/files'
import {
  countSaved,
  formatSaving,
  type WrittenResult,
  formatParts,
  formatVerdict,
  NO_FIGURES,
  sumTokens,
  type WrittenReport,
} from '../output/build-result.ts'
import { isOverLimit, reportDiagnostics } from '../output/report-diagnostics.ts'
import { reportError, describeError } from '../output/report-error.ts'
import {
  escapeControls,
  formatBar,
  formatCount,
  formatNumber,
  formatTable,
  quotePath,
  styleNote,
  styleResult,
  writeJson,
  writeLine,
  writeNote,
  writeStyled,
  writeWrapped,
} from '../output/terminal.ts'
import type { CacheFigures } from './build-in-order.ts'
import type { BuildRunOptions } from './create-requests.ts'
import type { GonePack, RecordUpdate, WriteTarget } from './write-packs.ts'
import { type DenseEstimate, describePromptCount, formatEstimate, type PromptCount } from './final-figures.ts'

/** Prints savings, messages and what was written, or one JSON document. */
export function reportResults(
  results: readonly WrittenResult[],
  target: WriteTarget,
  options: BuildRunOptions,
  extras: BuildExtras = {},
): ExitStatus {
  const messages = [
    // An error of the output folder is the same object in every result that it concerns.
    ...new Set(results.flatMap((result) => result.messages)),
    ...(extras.messages ?? []),
    ...describeLeftOut(extras.leftOut ?? [], options.verbose),
  ]
  const hasTooMany = isOverLimit(messages, options)
  const failed = results.filter(({ status }) => status === 'failed').length
  if (options.json) writeJson(describeBuild(results, extras, hasTooMany))
  else {
    // Tables go to stderr if stdout gets a pack.
    const print = target.folder === '-' ? writeStyled : writeLine
    if (hasTables(options)) printSavings(results, options, print)
    reportDiagnostics(messages, options)
    if (hasTables(options)) {
      if (extras.estimate !== undefined) print(formatEstimate(extras.estimate))
      printWritten(results, extras, target)
      if (extras.records !== undefined) reportRecords(extras.records, target)
    }
    // Otherwise the verdict says it.
    const lost = `${failed} of ${results.length} failed and ${failed === 1 ? 'was' : 'were'} not written`
    const isUnsaid = !hasTables(options) || results.length === failed
    if (failed > 0 && isUnsaid) writeNote(styleNote('red', lost))
    if (extras.failure) reportError(extras.failure, false)
  }
  return decideStatus(results, extras.failure, hasTooMany)
}

export function hasTables(options: BuildRunOptions): boolean {
  return !options.json && !options.quiet
}

function printWritten(
  results: readonly WrittenResult[],
  { report }: BuildExtras,
  { folder, cwd, isDryRun }: WriteTarget,
): void {
  const files = results.filter(({ file }) => file !== null)
  const [first] = files
  if (isDryRun) writeNote('nothing was written because of --dry-run')
  if (report !== undefined)
    writeNote(report.status === 'written' ? `wrote ${report.file}` : `${report.file} is unchanged`)
  if (first === undefined) return
  const unchanged = files.filter(({ status }) => status === 'unchanged').length
  const place = formatPath(folder, cwd)
  const count = files.length
  const packs = count === 1 ? first.file : `${formatNumber(count, 'pack')} in ${place}`
  const rest = unchanged === 0 ? '' : `, ${formatCount(unchanged)} unchanged`
  const wrote = count === 1 ? first.file : `${formatNumber(count - unchanged, 'pack')} to ${place}${rest}`
  const verb = count === 1 ? 'is' : 'are'
  writeWrapped(unchanged === count ? `${packs} ${verb} unchanged` : `wrote ${wrote}`)
  if (results.some(({ status }) => status === 'failed')) return
  const next = count === 1 ? `prompt ${quotePath(first.file!)}` : `context "a question" ${quotePath(place)}`
  writeNote(escapeControls(`next: pack ${next}`))
}

/** Reports with `--verbose` what the cache saved. */
export function reportCache(
  figures: CacheFigures | undefined,
  { cwd }: WriteTarget,
  options: BuildRunOptions,
): void {
  if (figures === undefined || !options.verbose || !hasTables(options)) return
  const { folder, used, damaged, fault } = figures
  const broken = damaged === 0 ? '' : `, ${damaged} damaged and built again`
  const unwritable = fault === undefined ? '' : `; it cannot be written: ${fault}`
  const line = `note: build cache ${formatPath(folder, cwd)}: ${used} used${broken}${unwritable}`
  writeNote(styleNote('dim', escapeControls(line)))
}

/** Names the packs of earlier builds whose source is gone, and counts those of other inputs. */
export function reportRecords(
  { gone, others, faults }: RecordUpdate,
  { folder, cwd, isDryRun }: WriteTarget,
): void {
  const list = (status: GonePack['status']): string[] =>
    gone.filter((pack) => pack.status === status).map(({ file }) => file)
  const [removed, left, changed] = [list('removed'), list('left'), list('changed')]
  const say = (names: readonly unknown[], line: string): void => {
    if (names.length > 0) writeWrapped(line)
  }
  const verb = isDryRun ? 'would remove' : 'removed'
  say(removed, `${verb} ${formatNumber(removed.length, 'pack')} whose source is gone: ${joinNames(removed)}`)
  const gap = `note: the source of ${formatNumber(left.length, 'pack')} is gone: ${joinNames(left)}`
  say(left, `${gap}; --clean removes ${left.length === 1 ? 'it' : 'them'}`)
  const kept = `note: kept ${joinNames(changed)}`
  say(changed, `${kept}: the source is gone, but the pack was changed after it was built`)
  const renamed = others.filter(({ now }) => now !== null)
  say(
    others,
    `note: ${formatPath(folder, cwd)} also has ${formatNumber(others.length, 'pack')} of other inputs`,
  )
  const pairs = renamed.map(({ source, slug, now }) => `${source} (${slug}, now ${now})`)
  const files = renamed.length === 1 ? renamed[0]!.file : 'the earlier packs'
  const slugs = `note: other inputs gave another slug to ${joinNames(pairs)}`
  say(renamed, `${slugs}; remove ${files} unless both are wanted`)
  for (const fault of faults) writeWrapped(`note: ${fault}`)
}

const MOST_NAMES = 10

function joinNames(names: readonly string[]): string {
  const rest = names.length - MOST_NAMES
  return rest <= 0 ? names.join(', ') : `${names.slice(0, MOST_NAMES).join(', ')} and ${rest} more`
}

function decideStatus(
  results: readonly WrittenResult[],
  failure: CliError | undefined,
  hasTooMany: boolean,
): ExitStatus {
  const messages = results.flatMap((result) => result.messages)
  if (messages.some(({ rule }) => rule === 'internal')) return exitStatus.internal
  if (failure) return findStatus(failure.code)
  const hasFailed = hasTooMany || results.some(({ status }) => status === 'failed')
  return hasFailed ? exitStatus.findings : exitStatus.done
}

/** Files that a build wrote besides the packs. */
export interface BuildExtras {
  readonly report?: WrittenReport
  readonly failure?: CliError
  readonly leftOut?: readonly LeftOut[]
  readonly messages?: readonly Diagnostic[] | undefined
  readonly records?: RecordUpdate
  readonly prompt?: PromptCount
  readonly estimate?: DenseEstimate
}

function describeBuild(
  results: readonly WrittenResult[],
  { report, failure, leftOut = [], messages: all = [], records, prompt }: BuildExtras,
  hasTooMany: boolean,
): unknown {
  return {
    ok: !hasTooMany && failure === undefined && results.every(({ status }) => status !== 'failed'),
    packs: results.map(({ pack, file, shown, status, messages }) => {
      const names = { slug: null, file, source: shown, status }
      return { ...names, ...(pack ?? NO_FIGURES), round_trip: pack !== null, messages }
    }),
    ...(report && { report }),
    ...(leftOut.length > 0 && { left_out: Object.fromEntries(countKinds(leftOut)) }),
    ...(all.length > 0 && { messages: all }),
    ...(records && records.gone.length > 0 && { gone: records.gone }),
    ...(records && records.others.length > 0 && { others: records.others }),
    ...(prompt && { prompt: describePromptCount(prompt) }),
    ...(failure && { error: describeError(failure) }),
  }
}

const MOST_ROWS = 10

/** Lists the pages that failed, those with most errors first. */
function formatFailed(failed: readonly WrittenResult[]): string[] {
  if (failed.length === 0) return []
  const count = ({ messages }: WrittenResult): number =>
    messages.filter(({ severity }) => severity === 'error').length
  const listed = failed.toSorted((a, b) => count(b) - count(a)).slice(0, MOST_ROWS)
  const rows = listed.map((result) => [escapeControls(result.shown), formatCount(count(result))])
  const rest = failed.length > MOST_ROWS ? [`… ${formatCount(failed.length - MOST_ROWS)} more failed`] : []
  return ['', ...formatTable(['failed page', '>errors'], rows), ...rest, '']
}

/** Prints the verdict, what took part in it, and the packs that save most. */
function printSavings(
  results: readonly WrittenResult[],
  { all = false }: BuildRunOptions,
  print: (line: string) => void,
): void {
  const built = results.filter(({ pack, status }) => pack !== null && status !== 'failed')
  const packs = built.flatMap(({ pack }) => pack ?? [])
  if (packs.length === 0) return
  const { header } = sumTokens(packs)
  const failed = results.filter(({ status }) => status === 'failed')
  print(formatVerdict(results).replace(/^.* failed(?=;)/, (text) => styleResult('red', text)))
  for (const line of formatFailed(failed)) print(line)
  const parts = formatParts(built)
  if (parts !== '') print(parts)
  const asked = built.filter(({ scheme }) => scheme === 'dense-2' || scheme === 'max-2')
  const kept = asked.filter(({ pack }) => pack!.entries === 0)
  const pages = `${formatCount(kept.length)} of ${formatNumber(asked.length, 'page')}`
  if (kept.length > 0) print(`${kept[0]!.scheme} gains nothing on ${pages}; they have no terms.`)
  if (packs.length === 1) return
  const sorted = packs.toSorted((a, b) => countSaved(b) - countSaved(a))
  const shown = all ? sorted : sorted.filter((pack) => countSaved(pack) > 0).slice(0, MOST_ROWS)
  const hasSchemes = new Set(shown.map(({ compression }) => compression)).size > 1
  const rows = shown.map((pack) => [
    pack.slug,
    formatCount(countSaved(pack)),
    formatSaving(pack),
    formatBar(pack.net_savings_pct),
    ...[pack.uncompressed_estimate, pack.token_count + pack.rosetta_tokens].map(formatCount),
    ...(hasSchemes ? [pack.compression] : header > 0 ? [formatCount(pack.rosetta_tokens)] : []),
  ])
  const more = hasSchemes ? ['scheme'] : header > 0 ? ['>header'] : []
  if (shown.length === 0) return
  const lines = formatTable(['pack', '>saved', '>less', '>paid/saved', '>source', '>paid', ...more], rows)
  for (const line of ['', ...lines]) print(line)
  if (shown.length < packs.length) print(`… ${formatCount(packs.length - shown.length)} more, --all`)
  print('')
}
