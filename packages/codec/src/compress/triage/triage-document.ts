import { o200kBase } from '../../tokens/o200k-base.ts'
import type { Pieces } from '../../tokens/types.ts'
import { joinRanges } from '../glossary-rules.ts'
import { findVerbatim } from '../prepare-text.ts'
import { isCodeKind, isRowKind, LineKind, type LineTable } from '../structure/line-table.ts'
import { protectLines } from '../structure/protect-lines.ts'
import { scanLines } from '../structure/scan-lines.ts'
import { expectSavings, type ExpectedSavings } from './expect-savings.ts'
import { findLinks } from './find-links.ts'
import { measureRepetition } from './measure-repetition.ts'
import { sumRanges } from './measure-offsets.ts'

/** What a document is made of, in shares of its tokens (0 to 1, o200k_base); they overlap. */
export interface Triage {
  readonly tokens: number
  /** Fenced and indented code. */
  readonly code: number
  /** URLs and link destinations. */
  readonly links: number
  readonly tables: number
  /** Scripts written without spaces, and Hangul. */
  readonly cjk: number
  /** Phrases of six tokens or more that stand twice or more, inside lines and outside verbatim regions. */
  readonly repetition: number
  /** The same outside code. */
  readonly proseRepetition: number
  /** By scheme; measured on other documents (docs/triage.md). */
  readonly expected: readonly ExpectedSavings[]
}

/**
 * Says what a document is made of and how much can be expected to be saved, without compressing it.
 *
 * Takes near-linear time, about that of tokenising the document three times.
 *
 * @example
 * triageDocument('# TLS\n\n…').expected[0] // { scheme: 'glossary-1', code: false, low: 2.1, high: 4.9 }
 */
export function triageDocument(markdown: string): Triage {
  const pieces = o200kBase.splitPieces(markdown)
  const tokens = pieces.counts.reduce((sum, count) => sum + count, 0)
  const lines = scanLines(markdown)
  const share = (part: number): number => (tokens === 0 ? 0 : Math.min(1, part / tokens))
  const repeat = (code: boolean): number =>
    share(
      measureRepetition(
        markdown,
        pieces,
        joinRanges(protectLines(lines, { code, inline: false }), findVerbatim(markdown)),
      ),
    )
  const repetition = repeat(true)
  const proseRepetition = repeat(false)
  return {
    tokens,
    code: share(sumLines(lines, pieces, isCodeKind)),
    links: share(sumRanges(pieces, findLinks(markdown))),
    tables: share(sumLines(lines, pieces, isTableKind)),
    cjk: share(sumRanges(pieces, findSpaceless(markdown))),
    repetition,
    proseRepetition,
    expected: expectSavings(tokens, repetition, proseRepetition),
  }
}

function sumLines(
  { count, starts, ends, kinds }: LineTable,
  pieces: Pieces,
  isWanted: (kind: number) => boolean,
): number {
  const ranges: number[] = []
  for (let line = 0; line < count; line++) if (isWanted(kinds[line]!)) ranges.push(starts[line]!, ends[line]!)
  return sumRanges(pieces, ranges)
}

function isTableKind(kind: number): boolean {
  return isRowKind(kind) || kind === LineKind.tableDelimiter
}

const SPACELESS = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}]+/gu

function findSpaceless(text: string): number[] {
  return Array.from(text.matchAll(SPACELESS), ({ 0: run, index }) => [index, index + run.length]).flat()
}
