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
}

/** Prints all outcomes as one JSON document, or results to stdout and the rest to stderr. */
export function reportPublish(
  host: Host,
  outcomes: readonly PublishOutcome[],
  messages: readonly Diagnostic[],
  { json, release, dryRun, verbose }: ReportOptions,
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
  for (const outcome of outcomes) printOutcome(host, outcome, dryRun === true)
  const diagnostics = outcomes.flatMap((outcome) => outcome.diagnostics)
  host.reportDiagnostics([...diagnostics, ...messages], verbose === true)
  const failed = outcomes.filter(({ code }) => code !== null).length
  if (failed > 0) host.writeNote(host.styleNote('red', `${failed} of ${outcomes.length} failed`))
  else if (dryRun) host.writeNote('nothing was published because of --dry-run')
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
