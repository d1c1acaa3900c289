import { decode } from '../decode/decode.ts'
import { createUseFinder, mapUses } from '../decode/map-uses.ts'
import { DEFAULT_WORTH_HEADER, isWorthHeader } from '../compress/cost/prompt-savings.ts'
import { digestText } from '../pack/digests.ts'
import { computeSavingsPercent } from '../pack/pack-fields.ts'
import { writeHead } from '../frame-packs.ts'
import { MARKER } from '../rosetta/grammar.ts'
import { parseRosetta, serializeRosetta } from '../rosetta/parse-rosetta.ts'
import type { Tokenizer } from '../tokens/get-tokenizer.ts'
import type { PackScheme, RosettaEntry } from '../types.ts'

/** A pack that is cut into slices. */
export interface SlicerInput {
  /** The compressed content. */
  readonly content: string
  /** The content's header. */
  readonly rosetta: string
  readonly compression: PackScheme
  /** What the content decodes to. */
  readonly body: string
  readonly tokenizer: Tokenizer
}

/** A part of a body, compressed or plain. `decode(content, rosetta)` is that part. */
export interface BodySlice {
  readonly content: string
  /** A header of just the entries that the content needs; `[DECODE]` if it is plain. */
  readonly rosetta: string
  /** The scheme of the pack, or `none` if the content is plain. */
  readonly compression: PackScheme
  /** Tokens of the content. */
  readonly token_count: number
  /** Tokens of the header; 0 if the content is plain. */
  readonly rosetta_tokens: number
  /** Tokens of the part as plain text. */
  readonly uncompressed_estimate: number
  /** What content and header save against plain text, in percent; never negative. */
  readonly net_savings_pct: number
  /** SHA-256 of the part as UTF-8, hexadecimal. */
  readonly sha256: string
}

export interface Slicer {
  /** Returns the part of the body between two offsets in UTF-16 units. */
  slice(this: void, start: number, end: number): BodySlice
}

/**
 * Prepares a pack for slicing: finds all uses of its terms once. A slice then takes time in
 * proportion to its length: plain text, or the pack's content if worth its header (SPEC.md §9.9).
 * @throws CodecError for an invalid header
 * @example
 * const slicer = createSlicer({ ...pack, body, tokenizer })
 * const slices = splitSections(body).map(({ start, end }) => slicer.slice(start, end))
 */
export function createSlicer({ content, rosetta, compression, body, tokenizer }: SlicerInput): Slicer {
  const cut = compression === 'none' ? undefined : createCutter(content, rosetta, body)
  return {
    slice(start, end) {
      const text = body.slice(start, end)
      const full = tokenizer.countTokens(text)
      const part = cut?.(start, end, full)
      const isChosen = part !== undefined && isWorth(part, text, full, tokenizer)
      const chosen = isChosen ? part : { content: text, rosetta: MARKER }
      const tokens = isChosen ? tokenizer.countTokens(part.content) : full
      const header = isChosen ? tokenizer.countTokens(part.rosetta) : 0
      return {
        ...chosen,
        compression: isChosen ? compression : 'none',
        token_count: tokens,
        rosetta_tokens: header,
        uncompressed_estimate: full,
        net_savings_pct: computeSavingsPercent(tokens + header, full),
        sha256: digestText(text),
      }
    },
  }
}

interface Part {
  readonly content: string
  readonly rosetta: string
}

/** Whether a part is exact and worth its header, in a prompt with it alone and beside others. */
function isWorth({ content, rosetta }: Part, text: string, full: number, tokenizer: Tokenizer): boolean {
  const sum = tokenizer.countTokens(content) + tokenizer.countTokens(rosetta)
  const joined = Math.max(sum, tokenizer.countTokens(writeHead(rosetta) + content))
  return isWorthHeader(full, joined, DEFAULT_WORTH_HEADER) && decode(content, rosetta) === text
}

/** Cuts a part; undefined if it uses no term, or its header has more than `mostEntries`. */
type Cutter = (start: number, end: number, mostEntries: number) => Part | undefined

/** Creates a function that cuts a content by body offsets. A use that a cut divides is expanded. */
function createCutter(content: string, rosetta: string, body: string): Cutter {
  const { entries } = parseRosetta(rosetta)
  const uses = mapUses(content, rosetta, content.length)
  const listNeeded = createEntryLister(entries)
  return (start, end, mostEntries) => {
    const from = uses.skipExpansion(start)
    const to = uses.findExpansionStart(end)
    if (from >= to) return undefined
    const needed = listNeeded(uses.listEntries(from, to), mostEntries)
    if (needed.length === 0) return undefined
    const middle = content.slice(uses.toContent(from), uses.toContent(to))
    return {
      content: body.slice(start, from) + middle + body.slice(to, end),
      rosetta: serializeRosetta({ entries: needed }),
    }
  }
}

/**
 * Creates a function that adds the entries that other entries' expansions use, in the order of the
 * header. It returns none if there are more than `most`: such a header does not pay, and a small
 * part must not take the time of a large header.
 */
function createEntryLister(
  entries: readonly RosettaEntry[],
): (used: ReadonlySet<number>, most: number) => RosettaEntry[] {
  const findUses = createUseFinder(entries)
  const known = new Map<number, readonly number[]>()
  const listInside = (index: number): readonly number[] => {
    let inside = known.get(index)
    if (inside === undefined) {
      inside = findUses(entries[index]!.expansion, Infinity, index).map(({ entry }) => entry)
      known.set(index, inside)
    }
    return inside
  }
  return (used, most) => {
    const needed = new Set(used)
    for (const index of needed) {
      for (const inside of listInside(index)) needed.add(inside)
      if (needed.size > most) return []
    }
    return [...needed].sort((a, b) => a - b).map((index) => entries[index]!)
  }
}

/**
 * Returns the body offset at which a preview ends, in UTF-16 units.
 * @throws CodecError for an invalid header
 */
export function measurePreview(pack: { readonly preview_content: string; readonly rosetta: string }): number {
  return decode(pack.preview_content, pack.rosetta).length
}
