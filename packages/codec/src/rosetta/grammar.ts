import { CodecError, type CodecErrorCode, type CodecErrorPosition } from '../errors.ts'
import type { RosettaEntry } from '../types.ts'

/** The canonical marker (SPEC.md §3.1). */
export const MARKER = '[DECODE]'

/** Characters to escape, each with the letter after its `\\` below (SPEC.md §3.2). */
export const ESCAPED = '\\|=\n\r\t'
export const LETTERS = '\\|=nrt'

/** Longest term, in code points. */
const MAX_TERM = 64
/** Longest expansion, in code points, counted after unescaping. */
const MAX_EXPANSION = 4096
/** Most entries of a header. */
const MAX_ENTRIES = 65_536
/** Longest header, in UTF-16 units. */
export const MAX_HEADER = 4_194_304
/** Maximum UTF-16 units of all expansions of a header together, after nesting is resolved. */
export const MAX_RESOLVED = 67_108_864
/** Maximum UTF-16 units of decoded output if `maxOutput` is not set. */
export const MAX_OUTPUT = 67_108_864

/**
 * Returns `entry` and adds its term to `seen`.
 * @throws CodecError if a header may not hold this entry (SPEC.md §3.3)
 */
export function checkEntry(
  entry: RosettaEntry,
  seen: Set<string>,
  position: CodecErrorPosition,
): RosettaEntry {
  const code = findFault(entry, seen)
  if (code) throw new CodecError(code, position, entry.term)
  seen.add(entry.term)
  return entry
}

export function checkEntries(entries: readonly RosettaEntry[]): RosettaEntry[] {
  const seen = new Set<string>()
  if (!Array.isArray(entries)) throw new CodecError('wrong_type', {})
  return (entries as readonly RosettaEntry[]).map((pair, entry) => checkEntry(pair, seen, { entry }))
}

function findFault({ term, expansion }: RosettaEntry, seen: Set<string>): CodecErrorCode | undefined {
  if (seen.size >= MAX_ENTRIES) return 'too_many_entries'
  if (!term) return 'empty_term'
  if (isLonger(term, MAX_TERM)) return 'term_too_long'
  if (/^\p{M}|[\p{Z}\p{Cc}\p{Cs}]/u.test(term)) return 'invalid_term'
  if (seen.has(term)) return 'duplicate_term'
  if (!expansion) return 'empty_expansion'
  return isLonger(expansion, MAX_EXPANSION) ? 'expansion_too_long' : undefined
}

function isLonger(text: string, codePoints: number): boolean {
  return text.length > codePoints && Array.from(text.slice(0, 2 * codePoints + 1)).length > codePoints
}
