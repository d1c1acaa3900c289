import { relative } from 'node:path'
import type { Diagnostic } from '@packs/files'
import type { SourceOutcome } from '@packs/server'
import { describeError } from '../output/report-error.ts'
import { reportDiagnostics } from '../output/report-diagnostics.ts'
import {
  escapeControls,
  formatCount,
  formatPercent,
  formatTable,
  quotePath,
  styleNote,
  styleResult,
  writeJson,
  writeLine,
  writeResult,
  writeStyled,
} from '../output/terminal.ts'

export interface PublishOutcome extends Omit<SourceOutcome, 'slug' | 'id' | 'messages' | 'warning'> {
  readonly shown: string
  readonly slug: string | null
  readonly id: string | null
  readonly diagnostics: readonly Diagnostic[]
}

/** A source that was read. */
export interface ReadText {
  /** Its name in messages. */
  readonly shown: string
  readonly messages: readonly Diagnostic[]
  /** Maps messages about the text to their positions in the file. */
  readonly place: (diagnostics: readonly Diagnostic[]) => readonly Diagnostic[]
}

/** @param built messages about the text of the source */
export function toOutcome(
  { messages: _messages, warning, ...result }: SourceOutcome,
  built: readonly Diagnostic[],
  { shown, messages, place }: ReadText,
): PublishOutcome {
  return { ...result, shown, diagnostics: [...(warning ? [warning] : []), ...messages, ...place(built)] }
}

/** Creates the outcome of an input that was not published. */
export function failedOutcome(
  error: unknown,
  shown: string,
  details: { readonly slug?: string; readonly diagnostics?: readonly Diagnostic[] } = {},
): PublishOutcome {
  const { code, message, hint } = describeError(error)
  const { slug = null, diagnostics = [] } = details
  const none = { id: null, version: null, level: null, reasons: [], job: null }
  return { ...none, shown, slug, status: 'failed', code, message, hint, diagnostics }
}

interface ReportOptions {
  readonly json?: boolean
  readonly release?: string
  readonly dryRun?: boolean
  readonly verbose?: boolean
  /** Folder of the catalog; undefined for one elsewhere. */
  readonly data: string | undefined
}

/** Prints all outcomes as one JSON document, or results to stdout and the rest to stderr. */
export function reportPublish(
  outcomes: readonly PublishOutcome[],
  messages: readonly Diagnostic[],
  { json, release, dryRun, verbose, data }: ReportOptions,
): void {
  const isOk = outcomes.every(({ code }) => code === null)
  if (json) {
    const named = messages.filter(({ severity, rule }) => severity !== 'info' || rule === 'page-dates')
    writeJson({
      ok: isOk,
      release: release ?? null,
      ...(dryRun && { dry_run: true }),
      published: outcomes.map((outcome) => describeOutcome(outcome)),
      ...(named.length > 0 && { messages: named }),
    })
    return
  }
  const next = summarize(outcomes, dryRun === true, data)
  listOutcomes(outcomes, verbose === true)
  const diagnostics = outcomes.flatMap((outcome) => outcome.diagnostics)
  reportFailures(outcomes)
  reportDiagnostics([...diagnostics, ...messages], { verbose: verbose === true })
  if (dryRun && isOk) writeStyled('nothing was published because of --dry-run')
  if (next !== '' && isOk) writeStyled(escapeControls(`next: ${next}`))
}

/** Prints such as `70 published, 13.7 % less`. Returns the command to run next, if any. */
function summarize(outcomes: readonly PublishOutcome[], isPlan: boolean, data: string | undefined): string {
  const count = (state: string): number =>
    outcomes.filter(({ status, code }) => (code === null ? status : 'failed') === state).length
  const figures = outcomes.flatMap((outcome) => outcome.figures ?? [])
  const source = figures.reduce((sum, { uncompressed_estimate }) => sum + uncompressed_estimate, 0)
  const paid = figures.reduce((sum, one) => sum + one.token_count + one.rosetta_tokens, 0)
  const [published, queued, failed] = [count('published'), count('queued'), count('failed')]
  const signed = outcomes.filter(({ signer }) => signer !== undefined)
  const verb = signed.some(({ isNewlySigned }) => isNewlySigned) ? 'signed' : 'already signed'
  const counts = {
    [isPlan ? 'would be published' : 'published']: published,
    queued,
    unchanged: count('unchanged'),
    [`${verb} by ${signed[0]?.signer}`]: signed.length,
  }
  const parts = Object.entries(counts).flatMap(([what, one]) =>
    one === 0 ? [] : [`${formatCount(one)} ${what}`],
  )
  if (paid < source) parts.push(`${formatPercent(100 * (1 - paid / source))} less`)
  const folder = relative(process.cwd(), data ?? '') || '.'
  const { DATABASE_URL, DATABASE_URL_FILE } = process.env
  const option =
    DATABASE_URL || DATABASE_URL_FILE || folder === '.packs' ? '' : ` --data ${quotePath(folder)}`
  const bad = `${formatCount(failed)} of ${formatCount(outcomes.length)} failed`
  const good = escapeControls(parts.join(', '))
  if (parts.length === 0 && failed > 0) writeStyled(styleNote('red', bad))
  else if (parts.length > 0) writeLine(failed > 0 ? `${styleResult('red', bad)}, ${good}` : good)
  if (data === undefined) return ''
  return queued > 0 ? `pack jobs${option}` : published > 0 && !isPlan ? `pack serve${option}` : ''
}

const MOST_ROWS = 10

/** Names what was published, from which version to which, and why; with `isAll` also the rest. */
function listOutcomes(outcomes: readonly PublishOutcome[], isAll: boolean): void {
  const good = outcomes.filter(({ code }) => code === null)
  const told = isAll || outcomes.length === 1 ? good : good.filter(({ status }) => status !== 'unchanged')
  const shown = isAll ? told : told.slice(0, MOST_ROWS)
  const rows = shown.map(({ slug, version, before, status, reasons, job }) => {
    const why = `${status === 'unchanged' ? 'unchanged: ' : ''}${reasons.slice(0, isAll ? Infinity : 1).join('; ')}`
    const change = before && version && before !== version ? `${before} → ${version}` : (version ?? '')
    return [slug ?? '', change, status === 'queued' ? `queued as job ${job}` : why].map(escapeControls)
  })
  if (rows.length > 0) writeResult(`${formatTable(['pack', 'version', 'why'], rows).join('\n')}\n`)
  const rest = told.length - shown.length
  if (rest > 0) writeResult(`… ${formatCount(rest)} more, --verbose\n`)
}

/** Names each input that failed, unless a message about a line of it does. */
function reportFailures(outcomes: readonly PublishOutcome[]): void {
  const hints = new Set<string>()
  for (const { code, message, hint, shown, diagnostics } of outcomes) {
    if (code === null || diagnostics.some(({ severity }) => severity === 'error')) continue
    const text = message?.startsWith(shown) ? message : `${shown}: ${message ?? ''}`
    writeStyled(`${escapeControls(text)} ${styleNote('dim', code)}`)
    if (hint === null || hints.has(hint)) continue
    hints.add(hint)
    writeStyled(`  ${styleNote('dim', 'hint:')} ${escapeControls(hint)}`)
  }
}

function describeOutcome(outcome: PublishOutcome): unknown {
  const { shown: file, slug, id, version, status, level: bump, reasons, signer } = outcome
  const { code, message, hint, job, diagnostics: messages } = outcome
  const failure = { code, message, hint }
  const signed = signer && { signer }
  return { file, slug, id, version, status, bump, reasons, ...failure, job, messages, ...signed }
}
