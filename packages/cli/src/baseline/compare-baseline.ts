import type { Baseline, BaselinePack } from './baseline-file.ts'

/**
 * How a pack differs from the baseline. `grown` exceeds the tolerance, `changed` has fewer tokens,
 * or more within the tolerance, `rebuilt` has the same count and another digest, `recounted` is
 * counted in another tokenizer, so its counts cannot be compared.
 */
export type ChangeStatus = 'grown' | 'recounted' | 'new' | 'gone' | 'changed' | 'rebuilt' | 'same'

/** Changes that fail the check unless they are allowed. */
const FAILING: readonly ChangeStatus[] = ['grown', 'recounted', 'new', 'gone']

export interface MeasuredPack extends BaselinePack {
  readonly file: string
}

/** A pack now and in the baseline; one of the two is null if the pack is new or gone. */
export interface PackChange {
  readonly slug: string
  readonly status: ChangeStatus
  readonly before: BaselinePack | null
  readonly after: BaselinePack | null
  /** File of the pack; null if it is gone. */
  readonly file: string | null
  /** Line of the pack in the baseline; null if it is new. */
  readonly line: number | null
  /** Most tokens that the pack may have; null without a comparison. */
  readonly limit: number | null
}

/** Tokens of several packs: content and header of each, and of their sources. */
export interface TokenTotals {
  readonly packs: number
  readonly tokens: number
  readonly source: number
}

export interface BaselineComparison {
  /** The failing ones first, then by the size of the difference. */
  readonly changes: readonly PackChange[]
  /** Changes that fail the check. */
  readonly failing: ReadonlySet<ChangeStatus>
  readonly before: TokenTotals
  readonly after: TokenTotals
}

/**
 * Tokens by which any pack may grow, because one more sentence exceeds the tolerance of a short
 * pack.
 */
const SLACK_TOKENS = 10

/**
 * Compares packs with a baseline.
 *
 * @param tolerance percentage by which content and header of a pack may grow; 0 allows no growth at
 *   all
 * @param isNewAllowed whether packs pass that are not in the baseline
 * @param unread slugs of packs that could not be read; they are not compared
 */
export function compareBaseline(
  baseline: Baseline,
  packs: readonly MeasuredPack[],
  tolerance: number,
  isNewAllowed: boolean,
  unread: ReadonlySet<string>,
): BaselineComparison {
  const failing = new Set(FAILING.filter((status) => !isNewAllowed || status !== 'new'))
  const now = new Map(packs.map((pack) => [pack.slug, pack]))
  const slugs = new Set([...baseline.keys(), ...now.keys()])
  const changes = [...slugs]
    .filter((slug) => !unread.has(slug))
    .map((slug) => comparePack(slug, baseline.get(slug) ?? null, now.get(slug) ?? null, tolerance))
  return {
    changes: changes.toSorted(
      (a, b) => Number(failing.has(b.status)) - Number(failing.has(a.status)) || compareSize(a, b),
    ),
    failing,
    before: sumTokens(changes.map(({ before }) => before)),
    after: sumTokens(changes.map(({ after }) => after)),
  }
}

/** Counts the tokens of a pack in a prompt: content and header. */
export function countPaid({ content, header }: BaselinePack): number {
  return content + header
}

export function findGrowth({ before, after }: PackChange): number {
  return (after === null ? 0 : countPaid(after)) - (before === null ? 0 : countPaid(before))
}

function comparePack(
  slug: string,
  recorded: (BaselinePack & { readonly line: number }) | null,
  measured: MeasuredPack | null,
  tolerance: number,
): PackChange {
  const change = {
    slug,
    before: recorded,
    after: measured,
    file: measured?.file ?? null,
    line: recorded?.line ?? null,
    limit: null,
  }
  if (recorded === null) return { ...change, status: 'new' }
  if (measured === null) return { ...change, status: 'gone' }
  if (recorded.tokenizer !== measured.tokenizer) return { ...change, status: 'recounted' }
  const limit = findLimit(countPaid(recorded), tolerance)
  return { ...change, limit, status: findStatus(recorded, measured, limit) }
}

function findLimit(tokens: number, tolerance: number): number {
  return tolerance === 0 ? tokens : tokens + Math.max(SLACK_TOKENS, Math.floor((tokens * tolerance) / 100))
}

function findStatus(before: BaselinePack, after: BaselinePack, limit: number): ChangeStatus {
  if (countPaid(after) > limit) return 'grown'
  const keys = ['source', 'content', 'header', 'scheme'] as const
  if (keys.some((key) => before[key] !== after[key])) return 'changed'
  return before.digest === after.digest ? 'same' : 'rebuilt'
}

function compareSize(a: PackChange, b: PackChange): number {
  return Math.abs(findGrowth(b)) - Math.abs(findGrowth(a)) || (a.slug < b.slug ? -1 : 1)
}

function sumTokens(packs: readonly (BaselinePack | null)[]): TokenTotals {
  const present = packs.filter((pack) => pack !== null)
  return {
    packs: present.length,
    tokens: present.reduce((sum, pack) => sum + countPaid(pack), 0),
    source: present.reduce((sum, { source }) => sum + source, 0),
  }
}
