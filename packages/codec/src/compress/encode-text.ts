import { serializeRosetta } from '../rosetta/parse-rosetta.ts'
import { findBrokenOccurrences, writeContent, writeEntries } from './encoding/write-content.ts'
import { readCandidateText, listOccurrences } from './candidates/candidate-set.ts'
import { assignTerms, takeSpaces } from './terms/assign-terms.ts'
import { prepareText, type PrepareOptions, type PreparedText } from './prepare-text.ts'
import { LARGE_FROM, type SchemePlan } from './schemes.ts'
import { selectEntries } from './selection/select-entries.ts'
import { markCandidates, pruneEntries, type Selection } from './selection/prune-entries.ts'
import type { Minified } from '../minify/types.ts'
import type { Compression, CompressionEntry, GlossaryNote } from './types.ts'
import type { RosettaEntry } from '../types.ts'
import { chooseSeparator } from './text/join-texts.ts'

// Steps 4 to 6 of docs/schemes.md; the folder encoding/ contains only step 6, which writes the result.

const MAX_REPAIRS = 50
/** Select again if withdrawn occurrences cost more than 1 % of the saving. */
const WORTH_KEEPING = 0.99
/** A large text is not selected again: it takes long, and gave no better results. */
const MAX_RESELECTIONS = 3

/** A compression of a text, without what says how the text was minified. */
export type EncodedText = Omit<Compression, 'minify' | keyof Minified>

export interface Encoding {
  readonly compression: EncodedText
  readonly selection: Selection
  /** Upper bound of the value of any selection. */
  readonly bound: number
  readonly terms: ReadonlyMap<string, string>
}

export function countSteps(
  { plan, units }: PreparedText,
  effort: Exclude<keyof SchemePlan['steps'], 'large'>,
): number {
  return plan.steps[effort === 'fast' && units.count >= LARGE_FROM ? 'large' : effort]
}

/**
 * Selects entries, assigns terms and writes content and header (steps 4 to 6 of docs/schemes.md).
 * Withdraws occurrences that would break the content, and prunes the rest again, until none does.
 * @param steps Subgradient steps.
 */
export function encodeText(prepared: PreparedText, steps: number): Encoding {
  const { set, units, limit } = prepared
  const banned = new Uint8Array(set.occurrenceCount)
  const selected = selectEntries(set, steps, limit)
  let selection: Selection = selected
  let value = selected.value
  let reselections = units.count >= LARGE_FROM ? 0 : MAX_RESELECTIONS
  for (let repair = 0; ; repair++) {
    selection = takeSpaces(units, set, selection)
    const terms = assignTerms(prepared, selection)
    const lacking = [...selection.gross.keys()].filter((candidate) => !terms.has(candidate))
    let broken: readonly number[] = lacking.flatMap((candidate) =>
      Array.from(listOccurrences(set, candidate)),
    )
    if (lacking.length === 0) {
      const written = writeContent(units, set, selection.occurrences, terms)
      broken = findBrokenOccurrences(prepared, selection, terms, written)
      if (broken.length === 0) {
        const entries = writeEntries(prepared, selection, terms)
        const { bound } = selected
        const compression = reportEncoding(prepared, written.content, entries, selection, bound)
        const named = Array.from(terms, ([at, term]) => [readCandidateText(prepared, at), term] as const)
        return { compression, selection, bound, terms: new Map(named) }
      }
    }
    // Back to step 4 without the broken occurrences. After MAX_REPAIRS, withdraw everything selected.
    for (const occurrence of repair < MAX_REPAIRS ? broken : selection.occurrences) banned[occurrence] = 1
    selection = pruneEntries(set, markCandidates(set, selection.gross.keys()), banned)
    if (selection.value >= value * WORTH_KEEPING || reselections === 0) continue
    const reselected = selectEntries(set, steps, limit, banned)
    if (reselected.value > selection.value) selection = reselected
    value = selection.value
    reselections--
  }
}

function reportEncoding(
  prepared: PreparedText,
  content: string,
  entries: readonly CompressionEntry[],
  selection: Selection,
  bound: number,
): EncodedText {
  const { tokenizer, boundaries } = prepared
  const rosetta = serializeRosetta({ entries })
  return {
    scheme: prepared.scheme,
    tokenizer: tokenizer.name,
    content,
    rosetta,
    entries,
    tokens: {
      source: boundaries.total,
      content: tokenizer.countTokens(content),
      rosetta: tokenizer.countTokens(rosetta),
    },
    optimality: bound > 0 ? selection.value / bound : 1,
    notes: noteGlossary(prepared, selection.gross),
  }
}

/** Notes a rule without a term under a scheme that has only terms of the author. */
export function noteNoTerm(rule: number, expansion: string): GlossaryNote {
  const shown = JSON.stringify(expansion.slice(0, 80))
  const message = `Phrase not replaced, because minify-1 has only terms that the author writes: ${shown}`
  return { rule, code: 'pin_excluded', message }
}

function noteGlossary(
  { glossary, candidateOfRule, plan }: PreparedText,
  used: ReadonlyMap<number, number>,
): GlossaryNote[] {
  const notes: GlossaryNote[] = []
  for (const [rule, { expansion, never, term }] of glossary.entries()) {
    if (never) continue
    const candidate = candidateOfRule.get(rule)
    const shown = JSON.stringify(expansion.slice(0, 80))
    if (plan.authorOnly && term === undefined) notes.push(noteNoTerm(rule, expansion))
    else if (candidate === undefined) {
      notes.push({
        rule,
        code: 'pin_not_found',
        message: `Phrase does not occur in the text as whole words: ${shown}`,
      })
    } else if (!used.has(candidate)) {
      notes.push({
        rule,
        code: 'pin_does_not_pay',
        message: `Phrase not replaced, because its header entry would cost more than it saves: ${shown}`,
      })
    }
  }
  return notes
}

export interface SetOptions extends Pick<PrepareOptions, 'scheme' | 'tokenizer' | 'glossary'> {
  /** For each text, whether `minify-1` may replace phrases in its code too. */
  readonly code: readonly boolean[]
  readonly reserved: string
}

export interface CompressedSet {
  readonly contents: readonly string[]
  readonly entries: readonly RosettaEntry[]
}

/**
 * Compresses texts that are always read together, with one header that is paid for once. No phrase
 * spans two texts. Returns undefined if no character can separate the texts.
 * @param texts Well-formed.
 */
export function compressSet(
  texts: readonly string[],
  { scheme, tokenizer, glossary, code, reserved }: SetOptions,
): CompressedSet | undefined {
  // As a verbatim region the reserved text stays unchanged, and no term may occur in it.
  const parts = reserved === '' ? texts : [...texts, `<!-- pack:verbatim -->\n${reserved}\n<!-- /pack -->\n`]
  const named = glossary.flatMap(({ expansion, term = '' }) => [expansion, term])
  const separator = chooseSeparator([...parts, ...named])
  if (separator === undefined) return undefined
  const prepared = prepareText(parts.join(separator), {
    scheme,
    tokenizer,
    glossary,
    code: code.every(Boolean),
    codeByPart: [...code, false],
    separator,
  })
  const { content, entries } = encodeText(prepared, countSteps(prepared, 'fast')).compression
  return {
    contents: content.split(separator).slice(0, texts.length),
    entries: entries.map(({ term, expansion }) => ({ term, expansion })),
  }
}
