import { existsSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { computeSavingsPercent } from '@packs/codec/internal'
import type { Pack } from '@packs/codec/pack'
import { readRecords } from '../build-run/write-packs.ts'
import { CliError, fileError } from '../cli-error.ts'
import { parseJson } from '../config/validate-config.ts'
import { type Diagnostic, errorDiagnostic, formatPath, readBounded } from '@packs/files'
import { formatSaving } from '../output/build-result.ts'
import {
  escapeControls,
  formatCount,
  formatNumber,
  formatPercent,
  formatTable,
  styleResult,
} from '../output/terminal.ts'

/** Largest document of an earlier check in bytes: more than 25,000 packs. */
const MAX_CHECK_BYTES = 32 * 1024 * 1024

/** One more sentence exceeds the allowed growth of a short pack. */
const SLACK_TOKENS = 10

/** Rows of a markdown table. A comment on GitHub has at most 65,536 characters. */
const MOST_ROWS = 200

/** Keys of the document of `pack check --json` that a comparison reads. */
export type PackFigures = Pick<
  Pack,
  'slug' | 'tokenizer' | 'uncompressed_estimate' | 'token_count' | 'rosetta_tokens' | 'net_savings_pct'
>

/** The packs of an earlier check by slug, each with its line in the file. */
type EarlierCheck = ReadonlyMap<string, EarlierPack>

export interface ComparedPack {
  readonly file: string
  /** Absent if the file is not a pack. */
  readonly pack?: PackFigures | undefined
}

interface ComparisonTerms {
  readonly shown: string
  /** Percentage by which content and header of a pack may grow; 0 allows no growth at all. */
  readonly maxGrowth: number
  /** Absolute paths of the folders with the packs: builds record there the source of each. */
  readonly folders: readonly string[]
}

/** `changed`: fewer tokens, or more within the allowed growth; `recounted`: not comparable. */
type ChangeStatus = 'grown' | 'recounted' | 'gone' | 'new' | 'changed' | 'same'

/** In the order of their messages: GitHub annotates only the first ones. */
const FAILING: readonly ChangeStatus[] = ['grown', 'recounted', 'gone']

/** A pack now and in the earlier check; one of the two is null if the pack is new or gone. */
interface PackChange {
  readonly slug: string
  readonly status: ChangeStatus
  readonly before: EarlierPack | null
  readonly after: NewPack | null
  /** Tokens by which the pack is larger. */
  readonly growth: number
  /** Most tokens that the pack may have; null without a comparison. */
  readonly limit: number | null
}

type EarlierPack = PackFigures & { readonly line: number }
type NewPack = PackFigures & { readonly file: string }

export interface CheckComparison {
  readonly isOk: boolean
  /** A table of what changed, and a sentence. */
  readonly text: readonly string[]
  /** The same as markdown, for the summary of a job or a comment. */
  readonly markdown: string
  readonly diagnostics: readonly Diagnostic[]
  /** The value of `against` in the document of `--json`. */
  readonly document: unknown
}

/** @throws CliError `invalid_check` with the position of the fault, and those of reading */
export async function readEarlierCheck(path: string, shown: string): Promise<EarlierCheck> {
  const bytes = await readBounded(path, MAX_CHECK_BYTES, shown)
  const text = new TextDecoder().decode(bytes)
  const packs = (readDocument(text, shown) as { readonly packs?: unknown } | null)?.packs
  if (!Array.isArray(packs)) throw invalidError(shown, 'it has no list "packs"')
  const lines = text.split('\n')
  const slugs = new Map(lines.map((line, at) => [/"slug": ?"([a-z0-9-]+)"/.exec(line)?.[1], at + 1]))
  const check = new Map<string, EarlierPack>()
  for (const [at, value] of packs.entries()) {
    if (!hasFigures(value)) {
      const name: unknown = (value as { readonly file?: unknown } | null)?.file
      const which = typeof name === 'string' ? name : `pack ${at + 1}`
      throw invalidError(shown, `it has no figures of ${which}`)
    }
    const line = slugs.get(value.slug) ?? 1
    if (check.has(value.slug)) throw invalidError(shown, `${value.slug} is in it twice`, line)
    check.set(value.slug, { ...value, line })
  }
  return check
}

function readDocument(text: string, shown: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return parseJson(text, (message, { line }) => invalidError(shown, message, line))
  }
}

function hasFigures(value: unknown): value is PackFigures {
  if (typeof value !== 'object' || value === null) return false
  const pack = value as Readonly<Record<keyof PackFigures, unknown>>
  const isText = (text: unknown, pattern: RegExp): boolean => typeof text === 'string' && pattern.test(text)
  return (
    isText(pack.slug, /^[a-z0-9]+(?:-[a-z0-9]+)*$/) &&
    isText(pack.tokenizer, /^[a-z0-9][a-z0-9_.-]{0,63}$/) &&
    [pack.uncompressed_estimate, pack.token_count, pack.rosetta_tokens].every(
      (count) => Number.isSafeInteger(count) && (count as number) >= 0,
    ) &&
    typeof pack.net_savings_pct === 'number' &&
    pack.net_savings_pct <= 100
  )
}

function invalidError(shown: string, message: string, line: number | null = null): CliError {
  const hint = `name a file that \`pack check --json > FILE\` wrote when all packs passed; after a merge with conflicts, build and write it again`
  const faults = [{ line, column: line === null ? null : 1, message, hint }]
  return new CliError('invalid_check', `${shown} is not an earlier check, so no pack was compared`, hint, {
    file: shown,
    faults,
  })
}

/** Files that are not packs are not compared. */
export function compareChecks(
  earlier: EarlierCheck,
  checked: readonly ComparedPack[],
  terms: ComparisonTerms,
): CheckComparison {
  const now = new Map<string, NewPack>()
  for (const { file, pack } of checked) {
    if (pack === undefined) continue
    const other = now.get(pack.slug)
    if (other !== undefined) {
      const hint = 'name one of them, or remove the one that is out of date'
      throw fileError('duplicate_slug', file, `has the same slug as ${other.file}, ${pack.slug}`, hint)
    }
    now.set(pack.slug, { ...pack, file })
  }
  const unread = new Set(
    checked.filter(({ pack }) => pack === undefined).map(({ file }) => basename(file, '.pack.json')),
  )
  const size = ({ growth }: PackChange): number => Math.abs(growth)
  const changes = [...new Set([...earlier.keys(), ...now.keys()])]
    .filter((slug) => !unread.has(slug))
    .map((slug) => comparePack(slug, earlier.get(slug) ?? null, now.get(slug) ?? null, terms.maxGrowth))
    .toSorted((a, b) => rank(a) - rank(b) || size(b) - size(a) || (a.slug < b.slug ? -1 : 1))
  const visible = changes.filter(({ status }) => status !== 'same')
  const failed = visible.filter(({ status }) => FAILING.includes(status))
  const rows = [...visible.map(formatRow), formatTotals(changes)]
  const sentence = summarize(changes, terms.shown)
  const verdict = failed.length === 0 ? '' : `${styleResult('red', `${failed.length} failed`)}; `
  const quoted = `\`${escapeControls(terms.shown).replaceAll('`', "'")}\``
  const pick = (row: readonly string[]): string[] => TEXT_ORDER.map((at) => row[at]!)
  const table = visible.length === 0 ? [] : formatTable(pick(COLUMNS), rows.map(pick))
  return {
    isOk: failed.length === 0,
    text: [verdict + sentence, ...table],
    markdown: formatMarkdown(visible, failed.length, rows.at(-1)!, summarize(changes, quoted), terms),
    diagnostics: diagnoseChanges(failed, terms),
    document: {
      file: terms.shown,
      max_growth: terms.maxGrowth,
      changes: visible.map(({ slug, status, before, after, growth, limit }) => ({
        slug,
        status,
        file: after?.file ?? null,
        before: before && countPaid(before),
        after: after && countPaid(after),
        difference: growth,
        limit,
      })),
      unchanged: changes.length - visible.length,
    },
  }
}

function comparePack(
  slug: string,
  before: EarlierPack | null,
  after: NewPack | null,
  maxGrowth: number,
): PackChange {
  const paid = after === null ? 0 : countPaid(after)
  const earlier = before === null ? 0 : countPaid(before)
  const change = { slug, before, after, growth: paid - earlier, limit: null }
  if (before === null) return { ...change, status: 'new' }
  if (after === null) return { ...change, status: 'gone' }
  if (before.tokenizer !== after.tokenizer) return { ...change, status: 'recounted' }
  const slack = maxGrowth === 0 ? 0 : Math.max(SLACK_TOKENS, Math.floor((earlier * maxGrowth) / 100))
  const limit = earlier + slack
  const keys = ['uncompressed_estimate', 'token_count', 'rosetta_tokens'] as const
  const isSame = keys.every((key) => before[key] === after[key])
  return { ...change, limit, status: paid > limit ? 'grown' : isSame ? 'same' : 'changed' }
}

function countPaid({ token_count: content, rosetta_tokens: header }: PackFigures): number {
  return content + header
}

function rank({ status }: PackChange): number {
  const at = FAILING.indexOf(status)
  return at < 0 ? FAILING.length : at
}

const HEADINGS = ['pack', 'before', 'after', 'difference', 'percent', 'net saved', 'result'] as const
const COLUMNS = HEADINGS.map((heading) =>
  heading === 'pack' || heading === 'result' ? heading : `>${heading}`,
)

/** Omits what the others say already. */
const TEXT_ORDER = [0, 6, 4, 1, 2] as const

const RESULTS: Readonly<Record<ChangeStatus, string>> = {
  grown: 'grown',
  recounted: 'other tokenizer',
  gone: 'gone',
  new: 'new',
  changed: 'ok',
  same: 'ok',
}

function formatRow({ slug, status, before, after, growth }: PackChange): string[] {
  const saved = [before, after].filter((pack) => pack !== null).map((pack) => formatSaving(pack))
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

function formatTotals(changes: readonly PackChange[]): string[] {
  const kept = changes.filter((change) => change.before !== null && change.after !== null)
  const [before, after] = (['before', 'after'] as const).map((side) => {
    const packs = kept.map((change) => change[side]!)
    const tokens = packs.reduce((sum, pack) => sum + countPaid(pack), 0)
    const source = packs.reduce((sum, pack) => sum + pack.uncompressed_estimate, 0)
    return { tokens, saved: formatPercent(computeSavingsPercent(tokens, source)) }
  }) as [PackTotals, PackTotals]
  return [
    `${formatCount(kept.length)} in both`,
    formatCount(before.tokens),
    formatCount(after.tokens),
    formatDifference(after.tokens - before.tokens),
    formatShare(after.tokens - before.tokens, before.tokens),
    kept.length === 0 ? '' : [...new Set([before.saved, after.saved])].join(' → '),
    '',
  ]
}

type PackTotals = Readonly<{ tokens: number; saved: string }>

/** Formats a change of tokens, such as `+1,200` or `-3`. */
export function formatDifference(tokens: number): string {
  return tokens > 0 ? `+${formatCount(tokens)}` : tokens < 0 ? `-${formatCount(-tokens)}` : '0'
}

/** Formats a change as a share of what was before, such as `+3.5 %`; empty if that is nothing. */
export function formatShare(difference: number, before: number): string {
  if (before === 0) return ''
  const percent = ((100 * difference) / before).toFixed(1)
  return `${difference > 0 ? '+' : ''}${percent === '-0.0' ? '0.0' : percent} %`
}

function summarize(changes: readonly PackChange[], shown: string): string {
  const names = [
    ['grown', 'grown too much'],
    ['recounted', 'counted in another tokenizer'],
    ['gone', 'gone'],
    ['new', 'new'],
    ['changed', 'changed within the allowed growth'],
  ] as const
  const named = names.flatMap(([status, name]) => {
    const count = changes.filter((change) => change.status === status).length
    return count === 0 ? [] : [`${count} ${name}`]
  })
  const count = changes.filter(({ after }) => after !== null).length
  return `${formatNumber(count, 'pack')} compared with ${shown}: ${named.length === 0 ? 'no change' : named.join(', ')}`
}

function formatMarkdown(
  visible: readonly PackChange[],
  failed: number,
  totals: readonly string[],
  sentence: string,
  { maxGrowth }: ComparisonTerms,
): string {
  const lines = [failed === 0 ? '### Packs: passed' : `### Packs: ${failed} failed`, '']
  if (visible.length > 0) {
    const rows = visible.slice(0, MOST_ROWS).map((change) => {
      const [slug = '', ...cells] = formatRow(change)
      const isFailing = FAILING.includes(change.status)
      return [`\`${slug}\``, ...(isFailing ? cells.with(-1, `**${cells.at(-1)}**`) : cells)]
    })
    const borders = COLUMNS.map((column) => (column.startsWith('>') ? '---:' : '---'))
    for (const row of [[...HEADINGS], borders, ...rows, totals]) lines.push(`| ${row.join(' | ')} |`)
    if (visible.length > MOST_ROWS) lines.push('', `… and ${visible.length - MOST_ROWS} more packs.`)
    lines.push('')
  }
  lines.push(`${sentence}.`)
  if (failed > 0) {
    const terms = `Counts are tokens of content and header; a pack may grow by ${maxGrowth} %.`
    lines.push('', `${terms} To accept the changes, write the file again with \`pack check --json\`.`)
  }
  return `${lines.join('\n')}\n`
}

type GrowthRule =
  | 'pack-grown' // the content and header of a pack have more tokens than `--max-growth` allows
  | 'pack-recounted' // the pack is counted with a different tokenizer than in the file
  | 'pack-gone' // the file has a pack that is not among the inputs

/** An error for each change that fails, at its recorded source or the line of the earlier check. */
function diagnoseChanges(failed: readonly PackChange[], terms: ComparisonTerms): Diagnostic[] {
  const cwd = process.cwd()
  const records = terms.folders.flatMap((folder) =>
    failed.length === 0
      ? []
      : readRecords(folder, cwd).records.map(({ slug, source }) => [slug, resolve(folder, source)] as const),
  )
  const sources = new Map(records.filter(([, path]) => existsSync(path)))
  return failed.map((change) => {
    const source = sources.get(change.slug)
    const { rule, message, hint } = describeChange(change, terms)
    if (source !== undefined) return errorDiagnostic(formatPath(source, cwd), rule, message, hint)
    return { ...errorDiagnostic(terms.shown, rule, message, hint), line: change.before!.line, column: 1 }
  })
}

function describeChange(
  { slug, status, before, after, growth, limit }: PackChange,
  { shown, maxGrowth }: ComparisonTerms,
): Pick<Diagnostic, 'message' | 'hint'> & { readonly rule: GrowthRule } {
  const accept = `write ${shown} again with \`pack check --json\` to accept it`
  if (status === 'gone') {
    const message = `${slug} is in ${shown}, but the pack no longer exists`
    return { rule: 'pack-gone', message, hint: `restore its source, or ${accept}` }
  }
  if (status === 'recounted') {
    const message = `${slug} is counted in ${after!.tokenizer}, ${shown} in ${before!.tokenizer}, so the counts cannot be compared`
    return { rule: 'pack-recounted', message, hint: accept }
  }
  const [earlier, paid, most] = [countPaid(before!), countPaid(after!), limit!].map(formatCount)
  const share = formatShare(growth, countPaid(before!))
  return {
    rule: 'pack-grown',
    message: `${slug} grew from ${earlier} to ${paid} tokens (${formatDifference(growth)}, ${share}), --max-growth ${maxGrowth}% allows ${most}`,
    hint: `shorten it, or ${accept}`,
  }
}
