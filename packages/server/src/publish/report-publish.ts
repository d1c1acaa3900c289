import { relative } from 'node:path'
import type { Pack } from '@packs/codec/pack'
import type { PublishResult } from '@packs/publisher'
import type { Diagnostic, Host, ReadText } from '../host.ts'

export interface PublishOutcome extends Omit<PublishResult, 'slug' | 'id' | 'messages'> {
  readonly shown: string
  readonly slug: string | null
  readonly id: string | null
  readonly diagnostics: readonly Diagnostic[]
  /** Newest version before this one. */
  readonly before?: string | undefined
  /** Id of the key with which this command signed the version. */
  readonly signer?: string
  /** Whether the version had no signature by this key before. */
  readonly isNewlySigned?: boolean
  readonly figures?: Pick<Pack, 'uncompressed_estimate' | 'token_count' | 'rosetta_tokens'>
}

/** Creates the outcome of a source from the publisher's result and any warning about its slug. */
export function toOutcome(
  host: Host,
  { messages, ...result }: PublishResult,
  { shown, messages: before, place }: Omit<ReadText, 'bytes'> & { readonly shown: string },
  warning: Diagnostic | undefined,
): PublishOutcome {
  const built = place(messages.map((message) => host.toDiagnostic(message, shown)))
  return { ...result, shown, diagnostics: [...(warning === undefined ? [] : [warning]), ...before, ...built] }
}

/** Creates the outcome of an input that failed before it reached the publisher. */
export function failedOutcome(
  host: Host,
  error: unknown,
  shown: string,
  details: { readonly slug?: string; readonly diagnostics?: readonly Diagnostic[] } = {},
): PublishOutcome {
  return {
    shown,
    slug: details.slug ?? null,
    id: null,
    version: null,
    status: 'failed',
    level: null,
    reasons: [],
    ...host.describeError(error),
    job: null,
    diagnostics: details.diagnostics ?? [],
  }
}

interface ReportOptions {
  readonly json?: boolean
  readonly release?: string
  readonly dryRun?: boolean
  readonly verbose?: boolean
  readonly data: string
}

/** Prints all outcomes as one JSON document, or results to stdout and the rest to stderr. */
export function reportPublish(
  host: Host,
  outcomes: readonly PublishOutcome[],
  messages: readonly Diagnostic[],
  { json, release, dryRun, verbose, data }: ReportOptions,
): void {
  const isOk = outcomes.every(({ code }) => code === null)
  if (json) {
    const named = messages.filter(({ severity, rule }) => severity !== 'info' || rule === 'page-dates')
    host.writeJson({
      ok: isOk,
      release: release ?? null,
      ...(dryRun && { dry_run: true }),
      published: outcomes.map((outcome) => describeOutcome(outcome)),
      ...(named.length > 0 && { messages: named }),
    })
    return
  }
  const next = summarize(host, outcomes, dryRun === true, data)
  listOutcomes(host, outcomes, verbose === true)
  const diagnostics = outcomes.flatMap((outcome) => outcome.diagnostics)
  reportFailures(host, outcomes)
  host.reportDiagnostics([...diagnostics, ...messages], verbose === true)
  if (dryRun && isOk) host.writeNote('nothing was published because of --dry-run')
  if (next !== '' && isOk) host.writeNote(host.escapeControls(`next: ${next}`))
}

/** Prints such as `70 published, 13.7 % less`. Returns the command to run next, if any. */
function summarize(host: Host, outcomes: readonly PublishOutcome[], isPlan: boolean, data: string): string {
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
    one === 0 ? [] : [`${host.formatCount(one)} ${what}`],
  )
  if (paid < source) parts.push(`${host.formatPercent(100 * (1 - paid / source))} less`)
  const folder = relative(process.cwd(), data) || '.'
  const { DATABASE_URL, DATABASE_URL_FILE } = process.env
  const option =
    DATABASE_URL || DATABASE_URL_FILE || folder === '.packs' ? '' : ` --data ${host.quotePath(folder)}`
  const bad = `${host.formatCount(failed)} of ${host.formatCount(outcomes.length)} failed`
  const good = host.escapeControls(parts.join(', '))
  if (parts.length === 0 && failed > 0) host.writeNote(host.styleNote('red', bad))
  else if (parts.length > 0) host.writeLine(failed > 0 ? `${host.styleResult('red', bad)}, ${good}` : good)
  return queued > 0 ? `pack jobs${option}` : published > 0 && !isPlan ? `pack serve${option}` : ''
}

const MOST_ROWS = 10

/** Names what was published, from which version to which, and why; with `isAll` also the rest. */
function listOutcomes(host: Host, outcomes: readonly PublishOutcome[], isAll: boolean): void {
  const good = outcomes.filter(({ code }) => code === null)
  const told = isAll || outcomes.length === 1 ? good : good.filter(({ status }) => status !== 'unchanged')
  const shown = isAll ? told : told.slice(0, MOST_ROWS)
  const rows = shown.map(({ slug, version, before, status, reasons, job }) => {
    const why = `${status === 'unchanged' ? 'unchanged: ' : ''}${reasons.slice(0, isAll ? Infinity : 1).join('; ')}`
    const change = before && version && before !== version ? `${before} → ${version}` : (version ?? '')
    return [slug ?? '', change, status === 'queued' ? `queued as job ${job}` : why].map(host.escapeControls)
  })
  if (rows.length > 0) host.writeResult(`${host.formatTable(['pack', 'version', 'why'], rows).join('\n')}\n`)
  const rest = told.length - shown.length
  if (rest > 0) host.writeResult(`… ${host.formatCount(rest)} more, --verbose\n`)
}

/** Names each input that failed, unless a message about a line of it does. */
function reportFailures(host: Host, outcomes: readonly PublishOutcome[]): void {
  const hints = new Set<string>()
  for (const { code, message, hint, shown, diagnostics } of outcomes) {
    if (code === null || diagnostics.some(({ severity }) => severity === 'error')) continue
    const text = message?.startsWith(shown) ? message : `${shown}: ${message ?? ''}`
    host.writeNote(`${host.escapeControls(text)} ${host.styleNote('dim', code)}`)
    if (hint === null || hints.has(hint)) continue
    hints.add(hint)
    host.writeNote(`  ${host.styleNote('dim', 'hint:')} ${host.escapeControls(hint)}`)
  }
}

function describeOutcome(outcome: PublishOutcome): unknown {
  const { shown: file, slug, id, version, status, level: bump, reasons, signer } = outcome
  const { code, message, hint, job, diagnostics: messages } = outcome
  const failure = { code, message, hint }
  const signed = signer && { signer }
  return { file, slug, id, version, status, bump, reasons, ...failure, job, messages, ...signed }
}
