import type { BuildResult } from '../output/build-result.ts'
import { errorDiagnostic, type Diagnostic } from '../output/diagnostic.ts'

/** Adds the errors that need all results or the options of the run: duplicate slugs and low savings. */
export function validateResults(
  results: readonly BuildResult[],
  minSavings: number | undefined,
): BuildResult[] {
  const groups = groupBySlug(results)
  return results.map((result) => {
    if (!result.pack) return result
    const messages = [...result.messages]
    const others = (groups.get(result.pack.slug) ?? []).filter((other) => other !== result)
    if (others.length > 0) messages.push(duplicateSlugError(result, others))
    if (minSavings !== undefined && result.pack.net_savings_pct < minSavings) {
      messages.push(lowSavingsError(result.shown, result.pack.net_savings_pct, minSavings))
    }
    return { ...result, messages }
  })
}

/** Tells whether a result may be written: it has a pack and no errors. */
export function isWritable({ pack, messages }: BuildResult): boolean {
  return pack !== null && messages.every(({ severity }) => severity !== 'error')
}

function groupBySlug(results: readonly BuildResult[]): Map<string, BuildResult[]> {
  const groups = new Map<string, BuildResult[]>()
  for (const result of results) {
    if (!result.pack) continue
    const group = groups.get(result.pack.slug)
    if (group) group.push(result)
    else groups.set(result.pack.slug, [result])
  }
  return groups
}

function duplicateSlugError(
  { shown, pack, slugPosition }: BuildResult,
  others: readonly BuildResult[],
): Diagnostic {
  const positions = others.map((other) => formatSlugPosition(other)).join(', ')
  const error = errorDiagnostic(
    shown,
    'duplicate_slug',
    `slug "${pack!.slug}" is also used by ${positions}`,
    'set another slug in the front matter of one of them, or leave one out',
  )
  return { ...error, line: slugPosition?.line ?? null, column: slugPosition?.column ?? null }
}

function formatSlugPosition({ shown, slugPosition }: BuildResult): string {
  return slugPosition ? `${shown}:${slugPosition.line}:${slugPosition.column}` : shown
}

function lowSavingsError(shown: string, savings: number, minimum: number): Diagnostic {
  return errorDiagnostic(
    shown,
    'low_savings',
    `net savings of ${savings.toFixed(2)} % are below --min-savings ${minimum} %`,
    'use a denser scheme, join small documents, or lower --min-savings',
  )
}
