import { serializeRosetta } from '../rosetta/serialize-rosetta.ts'
import { findBrokenOccurrences, writeContent } from './encoding/write-content.ts'
import { assignTerms } from './terms/assign-terms.ts'
import type { PreparedText } from './prepare-text.ts'
import { selectEntries } from './selection/select-entries.ts'
import { markCandidates, pruneEntries, type Selection } from './selection/prune-entries.ts'
import type { Compression, GlossaryNote } from './types.ts'
import { writeEntries } from './encoding/write-entries.ts'

const MAX_REPAIRS = 50
/** Withdrawals that leave less than this part of the value are a reason to select again without those uses. */
const WORTH_KEEPING = 0.99
const MAX_RESELECTIONS = 3

/** What was written, by which uses. */
export interface Encoding {
  readonly compression: Compression
  readonly selection: Selection
  /** No selection is worth more. */
  readonly bound: number
  /** By candidate. */
  readonly terms: ReadonlyMap<number, string>
  /** Occurrences withdrawn, marked 1. */
  readonly banned: Uint8Array
  /** Candidates that were selected and for which no term was left. */
  readonly withoutTerm: ReadonlySet<number>
}

/** Occurrences to withdraw from an encoding that can be read back; none where it is good. */
export type EncodingCheck = (encoding: Encoding) => readonly number[]

/** Selects entries, gives them terms and writes content and header; uses that would break anything are withdrawn. */
export function encodeText(prepared: PreparedText, steps: number, check?: EncodingCheck): Encoding {
  const { set, units, limit } = prepared
  const banned = new Uint8Array(set.occurrenceCount)
  const withoutTerm = new Set<number>()
  const selected = selectEntries(set, steps, limit)
  let selection: Selection = selected
  let value = selected.value
  let reselections = 0
  for (let repair = 0; ; repair++) {
    const terms = assignTerms(prepared, selection)
    let broken: readonly number[] = listWithoutTerm(prepared, selection, terms)
    for (const occurrence of broken) withoutTerm.add(set.occurrenceCandidate[occurrence]!)
    if (broken.length === 0) {
      const written = writeContent(units, set, selection.occurrences, terms)
      broken = findBrokenOccurrences(prepared, selection, terms, written)
      if (broken.length === 0) {
        const compression = reportEncoding(prepared, selection, selected.bound, terms, written.content)
        const encoding = { compression, selection, bound: selected.bound, terms, banned, withoutTerm }
        broken = check?.(encoding) ?? []
        if (broken.length === 0) return encoding
      }
    }
    for (const occurrence of repair < MAX_REPAIRS ? broken : selection.occurrences) banned[occurrence] = 1
    selection = pruneEntries(set, markCandidates(set, selection.gross.keys()), banned)
    if (selection.value >= value * WORTH_KEEPING || reselections === MAX_RESELECTIONS) continue
    const reselected = selectEntries(set, steps, limit, banned)
    if (reselected.value > selection.value) selection = reselected
    value = selection.value
    reselections++
  }
}

/** Occurrences of candidates for which no term was left. */
function listWithoutTerm(
  { set }: PreparedText,
  { occurrences }: Selection,
  terms: ReadonlyMap<number, string>,
): number[] {
  return [...occurrences].filter((occurrence) => !terms.has(set.occurrenceCandidate[occurrence]!))
}

function reportEncoding(
  prepared: PreparedText,
  selection: Selection,
  bound: number,
  terms: ReadonlyMap<number, string>,
  content: string,
): Compression {
  const { tokenizer, boundaries } = prepared
  const entries = writeEntries(prepared, selection, terms)
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

function noteGlossary(
  { glossary, candidateOfRule }: PreparedText,
  used: ReadonlyMap<number, number>,
): GlossaryNote[] {
  const notes: GlossaryNote[] = []
  for (const [rule, { expansion, never }] of glossary.entries()) {
    if (never) continue
    const candidate = candidateOfRule.get(rule)
    const shown = JSON.stringify(expansion.slice(0, 80))
    if (candidate === undefined) {
      notes.push({
        rule,
        code: 'pin_not_found',
        message: `Phrase stands nowhere in the text as whole words: ${shown}`,
      })
    } else if (!used.has(candidate)) {
      notes.push({
        rule,
        code: 'pin_does_not_pay',
        message: `Phrase left as it is, an entry would not pay for its header: ${shown}`,
      })
    }
  }
  return notes
}
