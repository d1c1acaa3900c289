import type { Diagnostic } from '../output/diagnostic.ts'
import { formatCount } from '../output/format-table.ts'
import type { BaselinePack } from './baseline-file.ts'
import {
  countPaid,
  FAILING,
  findGrowth,
  type BaselineComparison,
  type PackChange,
} from './compare-baseline.ts'
import { formatGrowth, listVisible, type BaselineTerms } from './format-comparison.ts'

/** Rules of messages about a baseline. */
type BaselineRule = 'baseline-grown' | 'baseline-recounted' | 'baseline-new' | 'baseline-gone'

/** The first messages become annotations of a pull request, so what an edit made larger comes before what it added or removed. */
const ORDER = ['grown', 'recounted', 'new', 'gone']

/**
 * Returns a message for each change that fails the check, at the source or else at the line of the baseline: packs that grew, then
 * new ones, then those that are gone, each by the size of the difference.
 */
export function diagnoseChanges({ changes }: BaselineComparison, terms: BaselineTerms): Diagnostic[] {
  return changes
    .filter(({ status }) => FAILING.has(status))
    .toSorted((a, b) => ORDER.indexOf(a.status) - ORDER.indexOf(b.status))
    .map((change) => {
      const source = terms.findSource(change.slug)
      const { rule, message, hint } = describeChange(change, terms)
      const line = source === undefined ? change.line : null
      const file = source ?? (change.line === null ? change.file! : terms.shown)
      return { file, line, column: line === null ? null : 1, severity: 'error', rule, message, hint }
    })
}

interface Description {
  readonly rule: BaselineRule
  readonly message: string
  readonly hint: string
}

function describeChange(change: PackChange, { shown, tolerance }: BaselineTerms): Description {
  const { slug, status, before, after, limit } = change
  switch (status) {
    case 'new':
      return {
        rule: 'baseline-new',
        message: `${slug} is not in ${shown}: ${formatCount(countPaid(after!))} tokens`,
        hint: 'run the command again with --update to record it',
      }
    case 'gone':
      return {
        rule: 'baseline-gone',
        message: `${slug} is in ${shown}, but there is no such pack`,
        hint: 'restore its source, or run the command again with --update to remove it from the baseline',
      }
    case 'recounted':
      return {
        rule: 'baseline-recounted',
        message: `${slug} is counted in ${after!.tokenizer}, ${shown} in ${before!.tokenizer}, so they cannot be compared`,
        hint: 'run the command again with --update to record the new counts',
      }
    default: {
      const [paid, most] = [countPaid(after!), limit!].map(formatCount)
      return {
        rule: 'baseline-grown',
        message: `${slug} grew from ${formatCount(countPaid(before!))} to ${paid} tokens (${formatGrowth(change)}), a tolerance of ${tolerance} % allows ${most}`,
        hint: 'shorten it, or run the command again with --update to accept it',
      }
    }
  }
}

/** Returns the comparison as data for `--json`. */
export function describeComparison(comparison: BaselineComparison): object {
  const { changes, before, after } = comparison
  return {
    changes: listVisible(comparison).map((change) => ({
      slug: change.slug,
      status: change.status,
      file: change.file,
      before: describePack(change.before),
      after: describePack(change.after),
      difference: findGrowth(change),
      limit: change.limit,
    })),
    rebuilt: changes.filter(({ status }) => status === 'rebuilt').length,
    unchanged: changes.filter(({ status }) => status === 'same').length,
    totals: { before, after },
  }
}

function describePack(pack: BaselinePack | null): unknown {
  if (pack === null) return null
  const { source, content, header, net_savings_pct, tokenizer, scheme, digest } = pack
  return { source, content, header, net_savings_pct, tokenizer, scheme, digest }
}
