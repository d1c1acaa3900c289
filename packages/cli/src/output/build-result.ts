import type { Scheme } from '@packs/codec'
import type { ComposedPrompt, Compression, TokenizerName } from '@packs/codec/compress'
import type { Pack } from '@packs/codec/pack'
import type { Diagnostic, Position } from '@packs/files'
import { formatCount, formatNumber, formatPercent } from './terminal.ts'

const FIELDS = [
  'slug',
  'version',
  'compression',
  'tokenizer',
  'uncompressed_estimate',
  'token_count',
  'rosetta_tokens',
  'savings_pct',
  'net_savings_pct',
] as const

type PackFigures = Pick<Pack, (typeof FIELDS)[number]>

/** Figures of a built pack, with the keys of `pack build --json`. */
export interface BuiltPack extends PackFigures {
  readonly entries: number
  /** Savings of the entries ÷ an upper bound for any dictionary; 1 if no entry pays. */
  readonly optimality: number
}

/** What takes the place of the figures where there is no pack. */
export const NO_FIGURES: Readonly<Record<keyof BuiltPack, null>> = Object.fromEntries(
  [...FIELDS, 'entries', 'optimality'].map((key) => [key, null]),
) as Record<keyof BuiltPack, null>

export function summarizePack(pack: Pack, entries: number, optimality: number): BuiltPack {
  const fields = Object.fromEntries(FIELDS.map((key) => [key, pack[key]])) as PackFigures
  return { ...fields, entries, optimality }
}

type PackTokens = Pick<BuiltPack, 'uncompressed_estimate' | 'token_count' | 'rosetta_tokens'>

/** Adds up tokens, and computes what the packs save of their sources, in percent. */
export function sumTokens(
  packs: readonly PackTokens[],
): Readonly<Record<'source' | 'content' | 'header' | 'paid' | 'saved', number>> {
  const sum = (key: 'uncompressed_estimate' | 'token_count' | 'rosetta_tokens'): number =>
    packs.reduce((all, pack) => all + pack[key], 0)
  const [source, content, header] = [sum('uncompressed_estimate'), sum('token_count'), sum('rosetta_tokens')]
  const paid = content + header
  return { source, content, header, paid, saved: source === 0 ? 0 : 100 * (1 - paid / source) }
}

/** Counts what a pack saves of its source. */
export function countSaved({ uncompressed_estimate, token_count, rosetta_tokens }: PackTokens): number {
  return uncompressed_estimate - token_count - rosetta_tokens
}

/** From the counts: the percentage in a pack is rounded already. */
export function formatSaving(pack: PackTokens): string {
  return formatPercent(sumTokens([pack]).saved)
}

export interface BuildResult {
  readonly path: string
  readonly shown: string
  readonly pack: BuiltPack | null
  /** Slug of the source before it is built; absent after an error, and if it is the pack's. */
  readonly slug?: string
  /** Position of the slug in the front matter; null if it is derived. */
  readonly slugPosition: Position | null
  /** Scheme that the source was to be built under; absent if the source has an error. */
  readonly scheme?: Scheme
  readonly text: string | null
  /** Tokens that rules and terms save; absent without a pack. */
  readonly saved?: Compression['saved']
  /** Absolute paths that its includes name. */
  readonly included?: readonly string[]
  readonly messages: readonly Diagnostic[]
}

/** What several packs cost in one prompt, in tokens of the whole text. */
export interface PromptCost {
  readonly tokens: number
  readonly tokenizer: TokenizerName
  readonly plan: ComposedPrompt['plan']
}

export interface WrittenResult extends BuildResult {
  /** Null after a failure, in a dry run and for stdout. */
  readonly file: string | null
  readonly status: 'written' | 'unchanged' | 'dry-run' | 'failed'
}

export type WrittenReport = Readonly<{ file: string; status: 'written' | 'unchanged' }>

interface Measured extends Pick<BuildResult, 'saved'>, Partial<Pick<WrittenResult, 'status' | 'messages'>> {
  readonly pack: (PackTokens & Pick<BuiltPack, 'entries'>) | null
  readonly scheme?: string
}

/**
 * Such as `420 pages, 673,412 → 581,206 tokens: 13.7 % less. No terms: any model reads it.`, what
 * failed first: `9 of 18 pages failed; 9 packs built, …`.
 */
export function formatVerdict(given: readonly Measured[], name?: string): string {
  const results = given.filter(({ pack, status }) => pack !== null && status !== 'failed')
  const packs = results.flatMap(({ pack }) => pack ?? [])
  const { source, paid, saved } = sumTokens(packs)
  const failed = given.length - results.length
  const built = formatNumber(packs.length, 'pack')
  const all = `${formatCount(failed)} of ${formatNumber(given.length, 'page')} failed; ${built} built`
  const pages = name ?? (failed === 0 ? formatNumber(packs.length, 'page') : all)
  const lacking = results.filter(({ messages = [] }) => messages.some(({ rule }) => rule === 'not-in-pack'))
  const verb = lacking.length === 1 ? 'lacks' : 'lack'
  const end = lacking.length === 0 ? '' : ` ${formatNumber(lacking.length, 'page')} ${verb} included text.`
  if (paid >= source) {
    const schemes = new Set(results.map(({ scheme }) => scheme))
    const rest = schemes.has('none') ? 'Scheme none keeps the text.' : 'Short pages repeat little: join them.'
    const advice = schemes.has('minify-1') ? 'There is nothing to omit.' : rest
    return `${pages}, ${formatCount(source)} tokens: nothing saved. ${advice}${end}`
  }
  const dense = packs.filter(({ entries }) => entries > 0).length
  const terms = dense === packs.length ? 'With terms' : `${formatCount(dense)} with terms`
  const models = dense === 0 ? 'No terms: any model reads it.' : `${terms}: for large models.`
  return `${pages}, ${formatCount(source)} → ${formatCount(paid)} tokens: ${formatPercent(saved)} less. ${models}${end}`
}

const MOST_PARTS = 4

/** Such as `links 8.1 %, tags 3.4 %, other 0.6 %` of the sources; empty if nothing is saved. */
export function formatParts(results: readonly Measured[]): string {
  const { source, paid } = sumTokens(results.flatMap(({ pack }) => pack ?? []))
  const sums = new Map<string, number>()
  for (const [name, tokens = 0] of results.flatMap(({ saved = {} }) => Object.entries(saved)))
    sums.set(name, (sums.get(name) ?? 0) + tokens)
  const toTenths = (tokens: number): number => Math.round((1000 * tokens) / source)
  const shares = Array.from(sums, ([name, tokens]) => [name, toTenths(tokens)] as const)
    .filter(([, share]) => share > 0)
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, MOST_PARTS)
  const rest = shares.reduce((left, [, share]) => left - share, toTenths(source - paid))
  const [[first, most] = ['other', 0] as const, ...others] = shares
  const parts = rest > 0 ? [...shares, ['other', rest] as const] : [[first, most + rest] as const, ...others]
  return paid < source ? parts.map(([name, share]) => `${name} ${formatPercent(share / 10)}`).join(', ') : ''
}
