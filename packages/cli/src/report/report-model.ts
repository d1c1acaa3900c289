import { decode, serializeRosetta, type RosettaEntry } from '@packs/codec'
import type { Pack } from '@packs/codec/pack'
import type { Pieces, Tokenizer } from '@packs/codec/tokens'
import { CliError } from '../cli-error.ts'
import { findOccurrences, resolveExpansions } from '../measure/find-occurrences.ts'
import { measureEntries, type EntryMeasure } from '../measure/measure-pack.ts'
import { loadTokenizer } from '../user-cache/load-tokenizer.ts'
import { alignRows, countTokensBySpan, type Row } from './align-rows.ts'

/** An entry as the report shows it. */
export interface ReportEntry extends EntryMeasure {
  /** As written in the header, with escapes. */
  readonly escapedTerm: string
  readonly escapedExpansion: string
  /** The text that it decodes to, with references to other terms resolved. */
  readonly resolvedExpansion: string
}

/** A row with the token count of each side. */
export interface ReportRow extends Row {
  readonly sourceTokens: number
  readonly contentTokens: number
}

/** The data that the report shows about one pack. */
export interface ReportModel {
  readonly pack: Pack
  readonly source: string
  /** In header order. */
  readonly entries: readonly ReportEntry[]
  /** Indexes into `entries`, highest net savings first. */
  readonly entriesByNet: readonly number[]
  /** Position of each entry in `entriesByNet`. */
  readonly ranks: readonly number[]
  readonly rows: readonly ReportRow[]
  readonly sourcePieces: Pieces
  readonly contentPieces: Pieces
  /** Why entries and rows cannot be shown; null if they can. */
  readonly unmarkedReason: string | null
}

/** Creates the report model of a pack that this program has built. */
export async function createReportModel(pack: Pack): Promise<ReportModel> {
  const { content, rosetta } = pack
  const tokenizer = await loadTokenizer(pack.tokenizer)
  const source = decode(content, rosetta)
  const sourcePieces = tokenizer.splitPieces(source)
  const contentPieces = tokenizer.splitPieces(content)
  const { entries, rows, unmarkedReason } = analyzeEntries(content, rosetta, tokenizer)
  const sourceTokens = countTokensBySpan(
    sourcePieces,
    rows.map((row) => row.source),
  )
  const contentTokens = countTokensBySpan(
    contentPieces,
    rows.map((row) => row.content),
  )
  const entriesByNet = [...entries.keys()].toSorted((a, b) => entries[b]!.net - entries[a]!.net)
  const ranks: number[] = []
  for (const [rank, entry] of entriesByNet.entries()) ranks[entry] = rank
  return {
    pack,
    source,
    entries,
    entriesByNet,
    ranks,
    rows: rows.map((row, at) => ({
      ...row,
      sourceTokens: sourceTokens[at]!,
      contentTokens: contentTokens[at]!,
    })),
    sourcePieces,
    contentPieces,
    unmarkedReason,
  }
}

interface AnalyzedEntries {
  readonly entries: readonly ReportEntry[]
  readonly rows: readonly Row[]
  readonly unmarkedReason: string | null
}

function analyzeEntries(content: string, rosetta: string, tokenizer: Tokenizer): AnalyzedEntries {
  try {
    const entries = measureEntries(content, rosetta, tokenizer)
    const expansions = resolveExpansions(content, rosetta)
    const lengths = expansions.map(({ length }) => length)
    return {
      entries: entries.map((entry, at) => ({
        ...entry,
        ...escapeEntry(entry),
        resolvedExpansion: expansions[at]!,
      })),
      rows: alignRows(content, findOccurrences(content, entries), lengths),
      unmarkedReason: null,
    }
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    return { entries: [], rows: [], unmarkedReason: error.message }
  }
}

/** A `=` in a term is escaped, so the first unescaped one separates term and expansion. */
function escapeEntry(entry: RosettaEntry): Pick<ReportEntry, 'escapedTerm' | 'escapedExpansion'> {
  const [, pair = ''] = serializeRosetta({ entries: [entry] }).split(/ (.*)/s)
  const [, escapedTerm = '', escapedExpansion = ''] = /^((?:[^\\=]|\\.)*)=(.*)$/s.exec(pair) ?? []
  return { escapedTerm, escapedExpansion }
}
