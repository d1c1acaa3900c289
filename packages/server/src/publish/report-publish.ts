import { relative } from 'node:path'
import type { Pack } from '@packs/codec/pack'
import type { PublishResult } from '@packs/publisher'
import type { Diagnostic, Host, ReadText, Style } from '../host.ts'

export interface PublishOutcome extends Omit<PublishResult, 'slug' | 'id' | 'messages'> {
  readonly shown: string
  readonly slug: string | null
  readonly id: string | null
  readonly diagnostics: readonly Diagnostic[]
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
  const isListed = verbose === true || outcomes.length === 1
  for (const outcome of outcomes)
    if (isListed || outcome.code !== null) printOutcome(host, outcome, dryRun === true)
  const diagnostics = outcomes.flatMap((outcome) => outcome.diagnostics)
  host.reportDiagnostics([...diagnostics, ...messages], verbose === true)
  summarize(host, outcomes, dryRun === true, data)
  if (dryRun && isOk) host.writeNote('nothing was published because of --dry-run')
}

/** Such as `70 published, 2 unchanged, 13.7 % less; serve them: pack serve --data catalog`. */
function summarize(host: Host, outcomes: readonly PublishOutcome[], isPlan: boolean, data: string): void {
  const count = (state: string): number =>
    outcomes.filter(({ status, code }) => (code === null ? status : 'failed') === state).length
  const figures = outcomes.flatMap((outcome) => outcome.figures ?? [])
  const source = figures.reduce((sum, { uncompressed_estimate }) => sum + uncompressed_estimate, 0)
  const paid = figures.reduce((sum, one) => sum + one.token_count + one.rosetta_tokens, 0)
  const [published, queued, failed] = [count('published'), count('queued'), count('failed')]
  const counts = {
    [isPlan ? 'would be published' : 'published']: published,
    queued,
    unchanged: count('unchanged'),
  }
  const parts = [
    ...Object.entries(counts).flatMap(([what, one]) =>
      one === 0 ? [] : [`${host.formatCount(one)} ${what}`],
    ),
    ...(paid < source ? [`${host.formatPercent(100 * (1 - paid / source))} less`] : []),
  ]
  const folder = relative(process.cwd(), data) || '.'
  const option = process.env['DATABASE_URL'] || folder === '.packs' ? '' : ` --data ${host.quotePath(folder)}`
  const serve = published > 0 && !isPlan ? `; serve them: pack serve${option}` : ''
  const next = queued > 0 ? `; see them: pack jobs${option}` : serve
  if (parts.length > 0) host.writeResult(`${host.escapeControls(parts.join(', ') + next)}\n`)
  if (failed > 0) host.writeNote(host.styleNote('red', `${failed} of ${outcomes.length} failed`))
}

function describeOutcome(outcome: PublishOutcome): unknown {
  const { shown: file, slug, id, version, status, level: bump, reasons, signer } = outcome
  const { code, message, hint, job, diagnostics: messages } = outcome
  const failure = { code, message, hint }
  const signed = signer && { signer }
  return { file, slug, id, version, status, bump, reasons, ...failure, job, messages, ...signed }
}

const STYLES: Readonly<Record<PublishOutcome['status'], Style>> = {
  published: 'green',
  unchanged: 'dim',
  queued: 'cyan',
  conflict: 'red',
  failed: 'red',
}

function printOutcome(host: Host, outcome: PublishOutcome, isPlan: boolean): void {
  const { slug, shown, version, status, reasons, code, message, hint, job, signer, isNewlySigned } = outcome
  if (code !== null) {
    const [file, text] = [host.escapeControls(shown), host.escapeControls(message ?? '')]
    host.writeNote(`${file} ${host.styleNote('red', status)} ${text} ${host.styleNote('dim', code)}`)
    if (hint !== null) host.writeNote(`  ${host.styleNote('dim', 'hint:')} ${host.escapeControls(hint)}`)
    return
  }
  const verb = isPlan && status === 'published' ? 'would publish' : status
  const name = version === null ? `${slug} as job ${job}` : `${slug}@${version}`
  host.writeResult(`${host.styleResult(STYLES[status], verb)} ${name}\n`)
  for (const reason of reasons) host.writeResult(`  ${host.escapeControls(reason)}\n`)
  if (signer !== undefined)
    host.writeResult(`  ${isNewlySigned ? 'signed' : 'was already signed'} by ${signer}\n`)
}
