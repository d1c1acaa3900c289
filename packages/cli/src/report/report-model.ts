import { decode } from '@packs/codec'
import type { Pack } from '@packs/codec/pack'
import {
  escapeEntry,
  findCutOffset,
  findOccurrences,
  type MarkedPart,
  type Occurrence,
  resolveExpansions,
  type ShownEntry,
} from '@packs/codec/theme'
import type { Pieces, Tokenizer } from '@packs/codec/tokens'
import { CliError } from '../cli-error.ts'
import { type EntryMeasure, measureEntries } from '../measure/measure-pack.ts'
import { loadTokenizer } from '../user-cache/load-tokenizer.ts'

export interface ReportEntry extends EntryMeasure, ShownEntry {}

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
  readonly ranks: readonly number[]
  readonly rows: readonly ReportRow[]
  readonly sourcePieces: Pieces
  readonly contentPieces: Pieces
  /** Why entries and rows cannot be shown; null if they can. */
  readonly unmarkedReason: string | null
}

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

function analyzeEntries(
  content: string,
  rosetta: string,
  tokenizer: Tokenizer,
): Pick<ReportModel, 'entries' | 'unmarkedReason'> & { readonly rows: readonly Row[] } {
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

/** A part of a text, in UTF-16 units. */
interface Span {
  readonly from: number
  readonly to: number
}

/**
 * A line of the source and the corresponding content; several lines if the expansion of an entry
 * spans them.
 */
interface Row {
  readonly source: MarkedPart
  readonly content: MarkedPart
}

/** Longest row in UTF-16 units, so that a text without line ends is cut too. */
const MAX_ROW_LENGTH = 2000
/** How far past the limit a space to cut at is searched for, in UTF-16 units. */
const SPACE_SEARCH_LENGTH = 100

/**
 * Cuts a source and the content that decodes to it into corresponding rows, at each line end
 * outside of an occurrence.
 *
 * @param occurrences all occurrences of entries in the content, in order
 * @param lengths length of each entry's full expansion, in UTF-16 units
 */
export function alignRows(
  content: string,
  occurrences: readonly Occurrence[],
  lengths: readonly number[],
): Row[] {
  const rows: Row[] = []
  let row = startRow(0, 0)
  let offset = 0
  let line = -1
  const endRow = (at: number): void => {
    if (at === row.content.from) return
    rows.push({ source: { ...row.source, to: at + offset }, content: { ...row.content, to: at } })
    row = startRow(at + offset, at)
  }
  const addText = (from: number, to: number): void => {
    for (let at = from; at < to;) {
      if (line < at) line = findLineEnd(content, at)
      const end = Math.min(line + 1, to)
      at = findRowEnd(content, Math.max(at, row.content.from + MAX_ROW_LENGTH), end)
      if (at < end || at === line + 1) endRow(at)
    }
  }
  let at = 0
  for (const { entry, start, end } of occurrences) {
    addText(at, start)
    if (start + offset - row.source.from > MAX_ROW_LENGTH) endRow(start)
    const from = start + offset
    const to = from + lengths[entry]!
    row.content.marks.push({ entry, from: start, to: end })
    row.source.marks.push({ entry, from, to })
    offset = to - end
    at = end
  }
  addText(at, content.length)
  endRow(content.length)
  return rows
}

type OpenRow = Readonly<
  Record<'source' | 'content', { readonly from: number; readonly marks: MarkedPart['marks'][number][] }>
>

function startRow(source: number, content: number): OpenRow {
  return { source: { from: source, marks: [] }, content: { from: content, marks: [] } }
}

function findLineEnd(text: string, from: number): number {
  const at = text.indexOf('\n', from)
  return at < 0 ? text.length : at
}

/** Returns the offset after the next space, or `from` if there is no space nearby. */
function findRowEnd(text: string, from: number, end: number): number {
  if (from >= end) return end
  const near = text.slice(from, Math.min(end, from + SPACE_SEARCH_LENGTH)).indexOf(' ')
  return near < 0 ? findCutOffset(text, from) : from + near + 1
}

/** Counts the tokens of each span of a text; a piece counts for the span that it begins in. */
export function countTokensBySpan({ ends, counts }: Pieces, spans: readonly Span[]): number[] {
  let piece = 0
  let start = 0
  return spans.map(({ to }) => {
    let tokens = 0
    while (piece < ends.length && start < to) {
      tokens += counts[piece]!
      start = ends[piece++]!
    }
    return tokens
  })
}
