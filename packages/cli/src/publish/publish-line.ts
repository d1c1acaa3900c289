import type { PublishResult } from '@packs/publisher'
import type { CliError } from '../cli-error.ts'
import { toDiagnostic, type Diagnostic } from '../output/diagnostic.ts'
import { describeError } from '../output/report-error.ts'

/** What became of one input of `pack publish`. */
export interface PublishLine extends Omit<PublishResult, 'slug' | 'id' | 'messages'> {
  /** The input, as messages call it. */
  readonly shown: string
  readonly slug: string | null
  readonly id: string | null
  readonly diagnostics: readonly Diagnostic[]
}

/** The line of a source that went through the publisher. */
export function toLine({ messages, ...result }: PublishResult, shown: string): PublishLine {
  return { ...result, shown, diagnostics: messages.map((message) => toDiagnostic(message, shown)) }
}

/** The line of an input that was refused before. */
export function failLine(
  error: unknown,
  shown: string,
  details: { readonly slug?: string; readonly diagnostics?: readonly Diagnostic[] } = {},
): PublishLine {
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

/** The line of an input that stood for no source. */
export function failInput(error: CliError): PublishLine {
  return failLine(error, error.file ?? '<stdin>')
}
