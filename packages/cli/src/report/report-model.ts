import { decode, serializeRosetta, type RosettaEntry } from '@packs/codec'
import type { Pack } from '@packs/codec/pack'
import { loadTokenizer, type Pieces, type Tokenizer } from '@packs/codec/tokens'
import { CliError } from '../cli-error.ts'
import { findUses, resolvePhrases } from '../inspect/find-occurrences.ts'
import { measureEntries, type EntryMeasure } from '../inspect/measure-pack.ts'
import { alignRows, countByRow, type Row } from './align-rows.ts'

/** An entry as a report shows it. */
export interface PicturedEntry extends EntryMeasure {
  /** As in the header, escapes and all. */
  readonly writtenTerm: string
  readonly writtenExpansion: string
  /** What it stands for in the source, nesting resolved. */
  readonly phrase: string
}

/** A row, and the tokens on each side. */
export interface PicturedRow extends Row {
  readonly sourceTokens: number
  readonly contentTokens: number
}

/** What a report shows of a pack. */
export interface PackPicture {
  readonly pack: Pack
  readonly source: string
  /** In the order of the header. */
  readonly entries: readonly PicturedEntry[]
  /** Indexes of entries, what nets most first. */
  readonly best: readonly number[]
  /** Of each entry, its place in {@link best}. */
  readonly ranks: readonly number[]
  readonly rows: readonly PicturedRow[]
  readonly sourcePieces: Pieces
  readonly contentPieces: Pieces
  /** Why no entry is marked, where none can be. */
  readonly unmarked: string | null
}

/** Makes the picture of a pack that was built here. */
export async function picturePack(pack: Pack): Promise<PackPicture> {
  const { content, rosetta } = pack
  const tokenizer = await loadTokenizer(pack.tokenizer)
  const source = decode(content, rosetta)
  const sourcePieces = tokenizer.splitPieces(source)
  const contentPieces = tokenizer.splitPieces(content)
  const { entries, rows, unmarked } = markEntries(content, rosetta, tokenizer)
  const sourceTokens = countByRow(
    sourcePieces,
    rows.map((row) => row.source),
  )
  const contentTokens = countByRow(
    contentPieces,
    rows.map((row) => row.content),
  )
  const best = [...entries.keys()].toSorted((a, b) => entries[b]!.net - entries[a]!.net)
  const ranks: number[] = []
  for (const [rank, entry] of best.entries()) ranks[entry] = rank
  return {
    pack,
    source,
    entries,
    best,
    ranks,
    rows: rows.map((row, at) => ({
      ...row,
      sourceTokens: sourceTokens[at]!,
      contentTokens: contentTokens[at]!,
    })),
    sourcePieces,
    contentPieces,
    unmarked,
  }
}

interface MarkedEntries {
  readonly entries: readonly PicturedEntry[]
  readonly rows: readonly Row[]
  readonly unmarked: string | null
}

function markEntries(content: string, rosetta: string, tokenizer: Tokenizer): MarkedEntries {
  try {
    const entries = measureEntries(content, rosetta, tokenizer)
    const phrases = resolvePhrases(content, rosetta)
    const lengths = phrases.map(({ length }) => length)
    return {
      entries: entries.map((entry, at) => ({ ...entry, ...writeEntry(entry), phrase: phrases[at]! })),
      rows: alignRows(content, findUses(content, entries), lengths),
      unmarked: null,
    }
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    return { entries: [], rows: [], unmarked: error.message }
  }
}

/** A `=` of a term is escaped, so the first one that is not ends it. */
function writeEntry(entry: RosettaEntry): Pick<PicturedEntry, 'writtenTerm' | 'writtenExpansion'> {
  const [, pair = ''] = serializeRosetta({ entries: [entry] }).split(/ (.*)/s)
  const [, writtenTerm = '', writtenExpansion = ''] = /^((?:[^\\=]|\\.)*)=(.*)$/s.exec(pair) ?? []
  return { writtenTerm, writtenExpansion }
}
