import type { BuildResult, Position } from '../output/build-result.ts'
import { errorDiagnostic, type Diagnostic } from '../output/diagnostic.ts'

/** A source that uses a slug. */
export interface SlugUse {
  readonly path: string
  readonly shown: string
  readonly slugPosition: Position | null
}

/** The sources that use each slug. */
export type SlugUses = ReadonlyMap<string, readonly SlugUse[]>

/** Groups results by slug. A result that is not built yet counts too if its slug is known. */
export function groupBySlug(results: readonly BuildResult[]): SlugUses {
  const uses = new Map<string, SlugUse[]>()
  for (const { path, shown, pack, slug = pack?.slug, slugPosition } of results) {
    if (slug === undefined) continue
    const use = { path, shown, slugPosition }
    const others = uses.get(slug)
    if (others) others.push(use)
    else uses.set(slug, [use])
  }
  return uses
}

/** Adds the errors that need all results or the options of the run: duplicate slugs and low savings. */
export function validateResults(
  results: readonly BuildResult[],
  minSavings: number | undefined,
): BuildResult[] {
  const uses = groupBySlug(results)
  return results.map((result) => validateResult(result, uses, minSavings))
}

/** Adds the errors of one result that need the slugs of all sources or the options of the run. */
export function validateResult(
  result: BuildResult,
  uses: SlugUses,
  minSavings: number | undefined,
): BuildResult {
  if (!result.pack) return result
  const messages = [...result.messages]
  const others = (uses.get(result.pack.slug) ?? []).filter(({ path }) => path !== result.path)
  if (others.length > 0) messages.push(duplicateSlugError(result, others))
  if (minSavings !== undefined && result.pack.net_savings_pct < minSavings) {
    messages.push(lowSavingsError(result.shown, result.pack.net_savings_pct, minSavings))
  }
  return { ...result, messages }
}

/** Tells whether a result may be written: it has a pack and no errors. */
export function isWritable({ pack, messages }: BuildResult): boolean {
  return pack !== null && messages.every(({ severity }) => severity !== 'error')
}

function duplicateSlugError(
  { shown, pack, slugPosition }: BuildResult,
  others: readonly SlugUse[],
): Diagnostic {
  const positions = others.map((other) => formatSlugPosition(other)).join(', ')
  const error = errorDiagnostic(
    shown,
    'duplicate_slug',
    `slug "${pack!.slug}" is also used by ${positions}`,
    'set another slug in the front matter of one of them, or name one in "ignore" of the configuration',
  )
  return { ...error, line: slugPosition?.line ?? null, column: slugPosition?.column ?? null }
}

function formatSlugPosition({ shown, slugPosition }: SlugUse): string {
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
