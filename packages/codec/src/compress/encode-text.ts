import { serializeRosetta } from '../rosetta/serialize-rosetta.ts'
import { findBrokenUses, writeContent } from './encoding/write-content.ts'
import { giveTerms } from './terms/assign-terms.ts'
import type { PreparedText } from './prepare-text.ts'
import { selectPhrases } from './selection/select-phrases.ts'
import { markPhrases, settleEntries, type Selection } from './selection/settle-entries.ts'
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
  /** By phrase. */
  readonly terms: ReadonlyMap<number, string>
  /** Slots withdrawn, marked 1. */
  readonly banned: Uint8Array
  /** Phrases that were selected and for which no term was left. */
  readonly termless: ReadonlySet<number>
}

/** Slots to withdraw from an encoding that can be read back; none where it is good. */
export type EncodingJudge = (encoding: Encoding) => readonly number[]

/** Selects entries, gives them terms and writes content and header; uses that would break anything are withdrawn. */
export function encodePhrases(prepared: PreparedText, steps: number, judge?: EncodingJudge): Encoding {
  const { set, units, limit } = prepared
  const banned = new Uint8Array(set.slotCount)
  const termless = new Set<number>()
  const selected = selectPhrases(set, steps, limit)
  let selection: Selection = selected
  let value = selected.value
  let reselections = 0
  for (let repair = 0; ; repair++) {
    const terms = giveTerms(prepared, selection)
    let broken: readonly number[] = listTermless(prepared, selection, terms)
    for (const slot of broken) termless.add(set.slotPhrase[slot]!)
    if (broken.length === 0) {
      const written = writeContent(units, set, selection.slots, terms)
      broken = findBrokenUses(prepared, selection, terms, written)
      if (broken.length === 0) {
        const compression = reportEncoding(prepared, selection, selected.bound, terms, written.content)
        const encoding = { compression, selection, bound: selected.bound, terms, banned, termless }
        broken = judge?.(encoding) ?? []
        if (broken.length === 0) return encoding
      }
    }
    for (const slot of repair < MAX_REPAIRS ? broken : selection.slots) banned[slot] = 1
    selection = settleEntries(set, markPhrases(set, selection.gross.keys()), banned)
    if (selection.value >= value * WORTH_KEEPING || reselections === MAX_RESELECTIONS) continue
    const again = selectPhrases(set, steps, limit, banned)
    if (again.value > selection.value) selection = again
    value = selection.value
    reselections++
  }
}

/** Slots of phrases for which no term was left. */
function listTermless(
  { set }: PreparedText,
  { slots }: Selection,
  terms: ReadonlyMap<number, string>,
): number[] {
  return [...slots].filter((slot) => !terms.has(set.slotPhrase[slot]!))
}

function reportEncoding(
  prepared: PreparedText,
  selection: Selection,
  bound: number,
  terms: ReadonlyMap<number, string>,
  content: string,
): Compression {
  const { tokenizer, edges } = prepared
  const entries = writeEntries(prepared, selection, terms)
  const rosetta = serializeRosetta({ entries })
  return {
    scheme: prepared.scheme,
    tokenizer: tokenizer.name,
    content,
    rosetta,
    entries,
    tokens: {
      source: edges.total,
      content: tokenizer.countTokens(content),
      rosetta: tokenizer.countTokens(rosetta),
    },
    optimality: bound > 0 ? selection.value / bound : 1,
    notes: noteGlossary(prepared, selection.gross),
  }
}

function noteGlossary(
  { glossary, phraseOfRule }: PreparedText,
  uses: ReadonlyMap<number, number>,
): GlossaryNote[] {
  const notes: GlossaryNote[] = []
  for (const [rule, { expansion, never }] of glossary.entries()) {
    if (never) continue
    const phrase = phraseOfRule.get(rule)
    const shown = JSON.stringify(expansion.slice(0, 80))
    if (phrase === undefined) {
      notes.push({
        rule,
        code: 'pin_not_found',
        message: `Phrase stands nowhere in the text as whole words: ${shown}`,
      })
    } else if (!uses.has(phrase)) {
      notes.push({
        rule,
        code: 'pin_does_not_pay',
        message: `Phrase left as it is, an entry would not pay for its header: ${shown}`,
      })
    }
  }
  return notes
}
