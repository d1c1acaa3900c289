import { CodecError, type CodecErrorCode, type CodecErrorPosition } from '../errors.ts'
import type { RosettaEntry } from '../types.ts'
import { MAX_ENTRIES, MAX_EXPANSION, MAX_TERM } from './grammar.ts'

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
  return entries.map((pair, entry) => checkEntry(pair, seen, { entry }))
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
