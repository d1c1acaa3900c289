import { escapeControls, formatCount, formatPercent, formatTable, styleResult } from '../output/terminal.ts'
import { formatSaving } from '../output/build-result.ts'
import { formatDifference, formatShare } from './compare-checks.ts'
import type { PackComparison } from './compare-packs.ts'
import type { DiffSide } from './open-side.ts'

/** Most entries and fields of each kind that are listed, and most passages. */
const MOST = 20
/** Longest text of a passage, and of a value. */
const MOST_CHARACTERS = 240

/** Describes a comparison for `--json`: everything, but only the first passages. */
export function describeDiff(before: DiffSide, after: DiffSide, comparison: PackComparison): object {
  const { isDifferent, tokens, savings, fields, hasOtherFrontMatter, entries, words } = comparison
  const { passages, isEstimate, wordsBefore, wordsAfter, added, removed } = words
  return {
    different: isDifferent,
    before: describeSide(before),
    after: describeSide(after),
    tokens,
    net_savings_pct: savings,
    fields,
    front_matter: hasOtherFrontMatter,
    entries,
    words: {
      before: wordsBefore,
      after: wordsAfter,
      added,
      removed,
      estimate: isEstimate,
      total_passages: passages.length,
      passages: passages.slice(0, MOST).map(({ lineBefore, lineAfter, before: old, after: now }) => {
        const [cutOld, cutNow] = cutPassage(old, now)
        return { line_before: lineBefore, line_after: lineAfter, before: cutOld, after: cutNow }
      }),
    },
  }
}

function describeSide({ name, kind, pack }: DiffSide): object {
  const { slug, version, tokenizer, pack_digest: digest } = pack
  return { name, kind, slug, version, tokenizer, digest }
}

export function formatDiff(before: DiffSide, after: DiffSide, comparison: PackComparison): string[] {
  const names = `${before.name} → ${after.name}`
  if (!comparison.isDifferent) return [`${escapeControls(names)}: no difference`]
  return [
    styleResult('bold', escapeControls(names)),
    formatChange(before, after, comparison),
    ...formatTokens(comparison),
    ...formatFields(comparison),
    ...formatEntries(comparison),
    ...formatWords(comparison),
  ]
}

/** Such as `1,265 → 1,123 tokens: 11.2 % less. It saves 30.7 % of its source, before 27.0 %.` */
function formatChange(old: DiffSide, now: DiffSide, { tokens }: PackComparison): string {
  const { before, after, difference } = tokens.total
  const counts = `${formatCount(before)} → ${formatCount(after)} tokens`
  const percent = formatPercent(Math.abs((100 * difference) / before))
  const share = before === 0 ? '' : `: ${percent} ${difference < 0 ? 'less' : 'more'}`
  const change = difference === 0 ? `${formatCount(after)} tokens, as before` : counts + share
  const [was, is] = [old, now].map(({ pack }) => formatSaving(pack))
  const [first, second] = [old, now].map(({ pack }) => pack.tokenizer)
  if (first !== second)
    return `${counts}, counted in ${first} before and in ${second} after: they cannot be compared`
  return `${change}. It saves ${is} of its source${is === was ? '' : `, before ${was}`}.`
}

const COLUMNS = ['tokens', '>before', '>after', '>change', '>']
const PARTS = [
  ['source', 'source'],
  ['content', 'text'],
  ['header', 'header'],
  ['total', 'text and header'],
] as const

function formatTokens({ tokens }: PackComparison): string[] {
  const { before: old, after: now } = tokens.header
  const rows = PARTS.slice(0, old + now === 0 ? 2 : 4).map(([part, name]) => {
    const { before, after, difference } = tokens[part]
    const counts = [before, after].map(formatCount)
    return [name, ...counts, formatDifference(difference), formatShare(difference, before)]
  })
  return ['', ...formatTable(COLUMNS, rows)]
}

function formatFields({ fields, hasOtherFrontMatter }: PackComparison): string[] {
  if (fields.length === 0 && !hasOtherFrontMatter) return []
  if (fields.length === 0) return ['', 'front matter: another text with the same fields']
  return [
    '',
    'fields',
    ...list(fields, ({ field, before, after }) => `  ${field}: ${quote(before)} → ${quote(after)}`),
  ]
}

function quote(value: unknown): string {
  return value === null ? 'none' : escapeControls(cut(JSON.stringify(value)))
}

function formatEntries({ entries }: PackComparison): string[] {
  const { added, removed, changed } = entries
  if (added.length + removed.length + changed.length === 0) return []
  return [
    '',
    `entries: ${entries.before} → ${entries.after}; ${added.length} new, ${removed.length} gone, ${changed.length} with another term`,
    ...list(removed, ({ term, expansion }) => minus(`${term} = ${quote(expansion)}`)),
    ...list(added, ({ term, expansion }) => plus(`${term} = ${quote(expansion)}`)),
    ...list(changed, ({ expansion, before, after }) => `  ~ ${quote(expansion)}: ${before} → ${after}`),
  ]
}

function formatWords({ words }: PackComparison): string[] {
  const { wordsBefore, wordsAfter, added, removed, isEstimate, passages } = words
  if (passages.length === 0) return []
  const about = isEstimate ? 'at least ' : ''
  const shown = passages.slice(0, MOST).flatMap(({ lineBefore, lineAfter, before, after }) => {
    const [old, now] = cutPassage(before, after)
    const place = lineBefore === lineAfter ? `line ${lineAfter}` : `line ${lineBefore} → ${lineAfter}`
    return [
      `  ${styleResult('dim', place)}`,
      ...(old === '' ? [] : old.split(/\r?\n/).map((line) => minus(escapeControls(line)))),
      ...(now === '' ? [] : now.split(/\r?\n/).map((line) => plus(escapeControls(line)))),
    ]
  })
  const rest = passages.length - MOST
  return [
    '',
    `words: ${formatCount(wordsBefore)} → ${formatCount(wordsAfter)}; ${about}${formatCount(added)} new, ${about}${formatCount(removed)} gone`,
    ...shown,
    ...(rest > 0 ? [`  … and ${rest} more passages`] : []),
  ]
}

/** Cuts the equal beginning and end of two texts, up to a few words, and what is too long. */
function cutPassage(before: string, after: string): [before: string, after: string] {
  const [old, now] = [before.trimEnd(), after.trimEnd()]
  const most = Math.min(old.length, now.length)
  let start = 0
  while (start < most && old[start] === now[start]) start++
  // A few words before the first difference show its context.
  const from = Math.max(0, start - 40)
  const lead = from === 0 ? 0 : old.slice(from).search(/\s|$/) + from
  const begin = Math.min(lead, start)
  const shorten = (text: string): string =>
    text === '' ? '' : `${begin > 0 ? '…' : ''}${cut(text.slice(begin))}`
  return [shorten(old), shorten(now)]
}

function cut(text: string): string {
  if (text.length <= MOST_CHARACTERS) return text
  // A cut between two surrogates would leave half a character.
  return `${text.slice(0, MOST_CHARACTERS - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

function minus(text: string): string {
  return `  ${styleResult('red', `- ${text}`)}`
}

function plus(text: string): string {
  return `  ${styleResult('green', `+ ${text}`)}`
}

function list<T>(items: readonly T[], format: (item: T) => string): string[] {
  const rest = items.length - MOST
  return [...items.slice(0, MOST).map(format), ...(rest > 0 ? [`  … and ${rest} more`] : [])]
}
