import type { PublishResult } from '@packs/publisher'
import type { CliError } from '../cli-error.ts'
import { toDiagnostic, writeDiagnostics, type Diagnostic } from '../output/diagnostic.ts'
import { describeError } from '../output/report-error.ts'
import {
  escapeControls,
  styleNote,
  styleResult,
  writeJson,
  writeNote,
  writeResult,
  type Style,
} from '../output/terminal.ts'

/** The outcome of one input of `pack publish`. */
export interface PublishOutcome extends Omit<PublishResult, 'slug' | 'id' | 'messages'> {
  /** Name of the input in messages. */
  readonly shown: string
  readonly slug: string | null
  readonly id: string | null
  readonly diagnostics: readonly Diagnostic[]
}

/** Creates the outcome of a source from the publisher's result. */
export function toOutcome({ messages, ...result }: PublishResult, shown: string): PublishOutcome {
  return { ...result, shown, diagnostics: messages.map((message) => toDiagnostic(message, shown)) }
}

/** Creates the outcome of an input that failed before it reached the publisher. */
export function failedOutcome(
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
    ...describeError(error),
    job: null,
    diagnostics: details.diagnostics ?? [],
  }
}

/** Creates the outcome of an input that did not lead to a source. */
export function failedInput(error: CliError): PublishOutcome {
  return failedOutcome(error, error.file ?? '<stdin>')
}

/** Prints all outcomes: as one JSON document, or results on stdout and failures on stderr. */
export function reportPublish(
  outcomes: readonly PublishOutcome[],
  {
    json,
    release,
    dryRun,
  }: { readonly json?: boolean; readonly release?: string; readonly dryRun?: boolean },
): void {
  const isOk = outcomes.every(({ code }) => code === null)
  if (json) {
    writeJson({
      ok: isOk,
      release: release ?? null,
      ...(dryRun && { dry_run: true }),
      published: outcomes.map((outcome) => describeOutcome(outcome)),
    })
    return
  }
  for (const outcome of outcomes) printOutcome(outcome, dryRun === true)
  const failed = outcomes.filter(({ code }) => code !== null).length
  if (failed > 0) writeNote(styleNote('red', `${failed} of ${outcomes.length} failed`))
  else if (dryRun) writeNote('nothing was published: --dry-run')
}

function describeOutcome({
  shown: file,
  slug,
  id,
  version,
  status,
  level,
  reasons,
  code,
  message,
  hint,
  job,
  diagnostics: messages,
}: PublishOutcome): unknown {
  return { file, slug, id, version, status, bump: level, reasons, code, message, hint, job, messages }
}

const STYLES: Readonly<Record<PublishOutcome['status'], Style>> = {
  published: 'green',
  unchanged: 'dim',
  queued: 'cyan',
  conflict: 'red',
  failed: 'red',
}

function printOutcome(outcome: PublishOutcome, isPlan: boolean): void {
  const { slug, shown, version, status, reasons, code, message, hint, job, diagnostics } = outcome
  writeDiagnostics(diagnostics)
  if (code !== null) {
    const text = escapeControls(message ?? '')
    writeNote(`${escapeControls(shown)} ${styleNote('red', status)} ${text} ${styleNote('dim', code)}`)
    if (hint !== null) writeNote(`  ${styleNote('dim', 'hint:')} ${escapeControls(hint)}`)
    return
  }
  const verb = isPlan && status === 'published' ? 'would publish' : status
  const name = version === null ? `${slug} as job ${job}` : `${slug}@${version}`
  writeResult(`${styleResult(STYLES[status], verb)} ${name}\n`)
  for (const reason of reasons) writeResult(`  ${escapeControls(reason)}\n`)
}
