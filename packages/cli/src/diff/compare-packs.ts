import { parseRosetta } from '@packs/codec'
import type { Pack } from '@packs/codec/pack'
import { compareHeadings, type HeadingComparison } from './compare-headings.ts'
import { compareTexts, type TextComparison } from './compare-texts.ts'
import type { DiffSide } from './open-side.ts'

/** A figure of both packs. */
export interface FigureChange {
  readonly before: number
  readonly after: number
  readonly difference: number
}

/** An entry of a header. */
export interface Entry {
  readonly term: string
  readonly expansion: string
}

/** How two headers differ. */
export interface EntryComparison {
  readonly before: number
  readonly after: number
  readonly added: readonly Entry[]
  readonly removed: readonly Entry[]
  /** Expansions with another term. */
  readonly changed: readonly { readonly expansion: string; readonly before: string; readonly after: string }[]
}

/** A field with another value; null if a pack does not have it. */
export interface FieldChange {
  readonly field: string
  readonly before: unknown
  readonly after: unknown
}

/** How two packs and their sources differ. Lines are those of the source files. */
export interface PackComparison {
  readonly isDifferent: boolean
  readonly tokenizers: readonly [before: string, after: string]
  readonly tokens: Readonly<Record<'source' | 'content' | 'header' | 'total', FigureChange>>
  readonly savings: FigureChange
  readonly fields: readonly FieldChange[]
  /** The text of the front matter differs, also where all fields are the same. */
  readonly hasOtherFrontMatter: boolean
  readonly entries: EntryComparison
  readonly headings: HeadingComparison
  readonly words: TextComparison
}

/** Compares two packs: figures, fields, headers, headings and words. */
export function comparePacks(before: DiffSide, after: DiffSide): PackComparison {
  const [old, now] = [before.pack, after.pack]
  const offsets = [countFrontLines(old), countFrontLines(now)] as const
  const fields = compareFields(old, now)
  const hasOtherFrontMatter = (old.front_matter ?? '') !== (now.front_matter ?? '')
  return {
    isDifferent:
      fields.length > 0 ||
      hasOtherFrontMatter ||
      before.body !== after.body ||
      old.content !== now.content ||
      old.rosetta !== now.rosetta,
    tokenizers: [old.tokenizer, now.tokenizer],
    tokens: {
      source: compareFigures(old.uncompressed_estimate, now.uncompressed_estimate),
      content: compareFigures(old.token_count, now.token_count),
      header: compareFigures(old.rosetta_tokens, now.rosetta_tokens),
      total: compareFigures(old.token_count + old.rosetta_tokens, now.token_count + now.rosetta_tokens),
    },
    savings: compareFigures(old.net_savings_pct, now.net_savings_pct),
    fields,
    hasOtherFrontMatter,
    entries: compareEntries(old.rosetta, now.rosetta),
    headings: compareHeadings(before.body, after.body, offsets),
    words: compareTexts(before.body, after.body, offsets),
  }
}

/** Counts the lines of a file before its body. */
function countFrontLines({ front_matter: text = '' }: Pack): number {
  return text.split('\n').length - 1
}

function compareFigures(before: number, after: number): FigureChange {
  // Percentages have two decimals, which subtraction does not keep.
  return { before, after, difference: Math.round((after - before) * 100) / 100 }
}

/** Fields that a reader of the pack sees; the others follow from them and the text. */
const FIELDS = [
  'slug',
  'title',
  'version',
  'domain',
  'subdomain',
  'difficulty',
  'compression',
  'tokenizer',
  'description',
  'tags',
] as const

function compareFields(before: Pack, after: Pack): FieldChange[] {
  const own = FIELDS.map((field) => ({ field, before: before[field] ?? null, after: after[field] ?? null }))
  const [old, now] = [before.metadata ?? {}, after.metadata ?? {}]
  const keys = [...new Set([...Object.keys(old), ...Object.keys(now)])].toSorted()
  const others = keys.map((key) => ({
    field: `metadata.${key}`,
    before: Object.hasOwn(old, key) ? old[key] : null,
    after: Object.hasOwn(now, key) ? now[key] : null,
  }))
  return [...own, ...others].filter((field) => JSON.stringify(field.before) !== JSON.stringify(field.after))
}

function compareEntries(before: string, after: string): EntryComparison {
  const [old, now] = [parseRosetta(before).entries, parseRosetta(after).entries]
  const oldTerms = new Map(old.map(({ term, expansion }) => [expansion, term]))
  const newTerms = new Map(now.map(({ term, expansion }) => [expansion, term]))
  return {
    before: old.length,
    after: now.length,
    added: now.filter(({ expansion }) => !oldTerms.has(expansion)),
    removed: old.filter(({ expansion }) => !newTerms.has(expansion)),
    changed: now.flatMap(({ term, expansion }) => {
      const other = oldTerms.get(expansion)
      return other === undefined || other === term ? [] : [{ expansion, before: other, after: term }]
    }),
  }
}
