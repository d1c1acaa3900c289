import { parseRosetta, type RosettaEntry } from '@packs/codec'
import { compareItems, listWords, splitLines, subtractItems } from '@packs/codec/internal'
import type { Pack } from '@packs/codec/pack'
import type { DiffSide } from './open-side.ts'

interface FigureChange {
  readonly before: number
  readonly after: number
  readonly difference: number
}

interface EntryComparison {
  readonly before: number
  readonly after: number
  readonly added: readonly RosettaEntry[]
  readonly removed: readonly RosettaEntry[]
  /** Expansions with another term. */
  readonly changed: readonly { readonly expansion: string; readonly before: string; readonly after: string }[]
}

interface FieldChange {
  readonly field: string
  readonly before: unknown
  readonly after: unknown
}

/** How two packs and their sources differ. Lines are those of the source files. */
export interface PackComparison {
  readonly isDifferent: boolean
  readonly tokens: Readonly<Record<'source' | 'content' | 'header' | 'total', FigureChange>>
  readonly savings: FigureChange
  readonly fields: readonly FieldChange[]
  /** The text of the front matter differs, even if all fields are the same. */
  readonly hasOtherFrontMatter: boolean
  readonly entries: EntryComparison
  readonly words: TextComparison
}

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
    words: compareTexts(before.body, after.body, offsets),
  }
}

function countFrontLines({ front_matter: text = '' }: Pack): number {
  return text.split('\n').length - 1
}

function compareFigures(before: number, after: number): FigureChange {
  // Percentages have two decimals; subtraction adds rounding errors.
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

/** A passage that differs. Lines count from 1; the texts are lines with their line ends. */
interface Passage {
  readonly lineBefore: number
  readonly lineAfter: number
  readonly before: string
  readonly after: string
}

interface TextComparison {
  readonly wordsBefore: number
  readonly wordsAfter: number
  readonly added: number
  readonly removed: number
  /** The texts differ in so much that words were counted without their order, or as one passage. */
  readonly isEstimate: boolean
  readonly passages: readonly Passage[]
}

/** With more lines that differ, all between the first and the last difference is one passage. */
const MOST_LINES = 2_000
/** Most words that a passage may differ in before its words are counted without their order. */
const MOST_WORDS = 400
/** Most characters of all passages that are compared with their words in order. */
const ORDERED_CHARACTERS = 1_000_000

/**
 * Compares two texts line by line, and the passages that differ word by word. Texts that differ too
 * much are compared less precisely, and `isEstimate` is set.
 * @param offsets lines before each text in its file
 */
export function compareTexts(
  before: string,
  after: string,
  offsets: readonly [before: number, after: number] = [0, 0],
): TextComparison {
  const lines = compareItems(splitLines(before), splitLines(after), MOST_LINES, true)
  const passages: Passage[] = []
  let [lineBefore, lineAfter] = [offsets[0] + 1, offsets[1] + 1]
  let [added, removed, budget, isEstimate] = [0, 0, ORDERED_CHARACTERS, lines.isWhole]
  for (const part of lines.parts) {
    lineBefore += part.same.length
    lineAfter += part.same.length
    if (part.removed.length + part.added.length === 0) continue
    const [old, now] = [part.removed.join(''), part.added.join('')]
    passages.push({ lineBefore, lineAfter, before: old, after: now })
    lineBefore += part.removed.length
    lineAfter += part.added.length
    budget -= old.length + now.length
    const counted = budget < 0 ? undefined : countOrdered([...listWords(old)], [...listWords(now)])
    added += counted?.added ?? subtractItems(listWords(now), listWords(old)).length
    removed += counted?.removed ?? subtractItems(listWords(old), listWords(now)).length
    isEstimate ||= counted === undefined
  }
  const [wordsBefore, wordsAfter] = [countWords(before), countWords(after)]
  return { wordsBefore, wordsAfter, added, removed, isEstimate, passages }
}

/** Counts words without making a list of them. */
function countWords(text: string): number {
  let count = 0
  for (const _word of listWords(text)) count++
  return count
}

/** Returns undefined if the words differ too much. */
function countOrdered(
  before: readonly string[],
  after: readonly string[],
): Pick<TextComparison, 'added' | 'removed'> | undefined {
  // If one side has no words, all words of the other are new or removed.
  if (before.length === 0 || after.length === 0) return { added: after.length, removed: before.length }
  const { parts, isWhole } = compareItems(before, after, MOST_WORDS)
  if (isWhole) return undefined
  const same = parts.reduce((sum, part) => sum + part.same.length, 0)
  return { added: after.length - same, removed: before.length - same }
}
