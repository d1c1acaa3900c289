import { computeSavingsPercent } from '@packs/codec/pack'
import type { Diagnostic } from '../output/diagnostic.ts'
import { formatCount, formatPercent, formatTable, escapeControls } from '../output/terminal.ts'
import type { BaselinePack } from './baseline-file.ts'
import {
  countPaid,
  findGrowth,
  type BaselineComparison,
  type PackChange,
  type ChangeStatus,
} from './compare-baseline.ts'

interface BaselineTerms {
  readonly shown: string
  readonly tolerance: number
  /** Returns the name of a pack's source, if it is known. */
  readonly findSource: (slug: string) => string | undefined
}

/** Rows of a markdown table. A comment on GitHub has at most 65,536 characters. */
const MOST_ROWS = 200

const HEADINGS = ['pack', 'before', 'after', 'difference', 'percent', 'net saved', 'result'] as const
const COLUMNS = HEADINGS.map((heading) =>
  heading === 'pack' || heading === 'result' ? heading : `>${heading}`,
)

const RESULTS: Readonly<Record<ChangeStatus, string>> = {
  grown: 'grown',
  recounted: 'other tokenizer',
  new: 'new',
  gone: 'gone',
  changed: 'ok',
  rebuilt: 'ok',
  same: 'ok',
}

/**
 * Formats the changes as a table, with the totals of all packs and a sentence; only the sentence if
 * nothing changed.
 */
export function formatComparison(comparison: BaselineComparison, shown: string): string[] {
  const changes = listVisible(comparison)
  const rows = [...changes.map(formatRow), formatTotals(comparison)]
  return [...(changes.length === 0 ? [] : formatTable(COLUMNS, rows)), summarize(comparison, shown)]
}

/** Formats what changed as markdown, for the summary of a job or a comment. */
export function formatMarkdown(comparison: BaselineComparison, { shown, tolerance }: BaselineTerms): string {
  const changes = listVisible(comparison)
  const failed = changes.filter(({ status }) => comparison.failing.has(status)).length
  const title = failed === 0 ? 'Packs: within the baseline' : `Packs: ${failed} outside the baseline`
  const lines = [`### ${title}`, '']
  if (changes.length > 0) {
    const rows = changes.slice(0, MOST_ROWS).map((change) => {
      const [slug = '', ...cells] = formatRow(change)
      const marked = comparison.failing.has(change.status) ? cells.with(-1, `**${cells.at(-1)}**`) : cells
      return [`\`${slug}\``, ...marked]
    })
    const borders = COLUMNS.map((column) => (column.startsWith('>') ? '---:' : '---'))
    for (const row of [[...HEADINGS], borders, ...rows, formatTotals(comparison)])
      lines.push(`| ${row.join(' | ')} |`)
    if (changes.length > MOST_ROWS) lines.push('', `… and ${changes.length - MOST_ROWS} more packs.`)
    lines.push('')
  }
  lines.push(`${summarize(comparison, `\`${escapeControls(shown).replaceAll('`', "'")}\``)}.`)
  if (failed > 0) {
    lines.push(
      '',
      `Counts are tokens of content and header; a pack may grow by ${tolerance} %. To accept the changes, run \`pack check --baseline --update\` and commit the baseline.`,
    )
  }
  return `${lines.join('\n')}\n`
}

/**
 * Returns the changes that a table shows: all but packs that are the same or differ in the digest
 * only.
 */
function listVisible({ changes }: BaselineComparison): readonly PackChange[] {
  return changes.filter(({ status }) => status !== 'same' && status !== 'rebuilt')
}

/** Formats the change of a pack, such as `+931, 20.0 %`. */
function formatGrowth(change: PackChange): string {
  const before = change.before === null ? 0 : countPaid(change.before)
  return `${formatDifference(findGrowth(change))}, ${formatShare(findGrowth(change), before)}`
}

function formatRow(change: PackChange): string[] {
  const { slug, status, before, after } = change
  const growth = findGrowth(change)
  const saved = [before, after]
    .filter((pack) => pack !== null)
    .map((pack) => formatPercent(pack.net_savings_pct))
  return [
    slug,
    before === null ? '' : formatCount(countPaid(before)),
    after === null ? '' : formatCount(countPaid(after)),
    formatDifference(growth),
    before === null || after === null ? '' : formatShare(growth, countPaid(before)),
    [...new Set(saved)].join(' → '),
    RESULTS[status],
  ]
}

function formatTotals({ before, after }: BaselineComparison): string[] {
  const saved = [before, after]
    .filter(({ packs }) => packs > 0)
    .map(({ tokens, source }) => formatPercent(computeSavingsPercent(tokens, source)))
  return [
    'all packs',
    formatCount(before.tokens),
    formatCount(after.tokens),
    formatDifference(after.tokens - before.tokens),
    formatShare(after.tokens - before.tokens, before.tokens),
    [...new Set(saved)].join(' → '),
    before.packs === after.packs ? `${after.packs}` : `${before.packs} → ${after.packs}`,
  ]
}

function formatDifference(tokens: number): string {
  return tokens > 0 ? `+${formatCount(tokens)}` : tokens < 0 ? `-${formatCount(-tokens)}` : '0'
}

function formatShare(difference: number, before: number): string {
  if (before === 0) return ''
  const percent = ((100 * difference) / before).toFixed(1)
  return `${difference > 0 ? '+' : ''}${percent === '-0.0' ? '0.0' : percent} %`
}

function summarize({ changes, after }: BaselineComparison, shown: string): string {
  const count = (status: ChangeStatus): number => changes.filter((change) => change.status === status).length
  const parts = [
    [count('grown'), 'grown above the tolerance'],
    [count('recounted'), 'counted in another tokenizer'],
    [count('new'), 'new'],
    [count('gone'), 'gone'],
    [count('changed'), 'changed within the tolerance'],
    [count('rebuilt'), 'built differently with the same tokens'],
  ] as const
  const named = parts.filter(([number]) => number > 0).map(([number, name]) => `${number} ${name}`)
  const packs = after.packs === 1 ? '1 pack' : `${formatCount(after.packs)} packs`
  return `${packs} compared with ${shown}: ${named.length === 0 ? 'no change' : named.join(', ')}`
}

type BaselineRule = 'baseline-grown' | 'baseline-recounted' | 'baseline-new' | 'baseline-gone'

/**
 * The first messages become annotations of a pull request, so what an edit made larger comes before
 * what it added or removed.
 */
const ORDER = ['grown', 'recounted', 'new', 'gone']

/**
 * Returns a message for each change that fails the check, located in the source or else in the
 * baseline: packs that grew, then new ones, then missing ones, each group by the size of the
 * difference.
 */
export function diagnoseChanges(
  { changes, failing }: BaselineComparison,
  terms: BaselineTerms,
): Diagnostic[] {
  return changes
    .filter(({ status }) => failing.has(status))
    .toSorted((a, b) => ORDER.indexOf(a.status) - ORDER.indexOf(b.status))
    .map((change) => {
      const source = terms.findSource(change.slug)
      const { rule, message, hint } = describeChange(change, terms)
      const line = source === undefined ? change.line : null
      const file = source ?? (change.line === null ? change.file! : terms.shown)
      return { file, line, column: line === null ? null : 1, severity: 'error', rule, message, hint }
    })
}

function describeChange(
  change: PackChange,
  { shown, tolerance }: BaselineTerms,
): Pick<Diagnostic, 'message' | 'hint'> & { readonly rule: BaselineRule } {
  const { slug, status, before, after, limit } = change
  switch (status) {
    case 'new':
      return {
        rule: 'baseline-new',
        message: `${slug} is not in ${shown}: ${formatCount(countPaid(after!))} tokens`,
        hint: 'run the command again with --update to record it, or with --allow-new to let new packs pass',
      }
    case 'gone':
      return {
        rule: 'baseline-gone',
        message: `${slug} is in ${shown}, but the pack no longer exists`,
        hint: 'restore its source, or run the command again with --update to remove it from the baseline',
      }
    case 'recounted':
      return {
        rule: 'baseline-recounted',
        message: `${slug} is counted in ${after!.tokenizer}, ${shown} in ${before!.tokenizer}, so the counts cannot be compared`,
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
