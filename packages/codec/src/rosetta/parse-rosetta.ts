import type { Rosetta } from '../types.ts'
import { readHeader, type RawPair } from './read-header.ts'

export interface ParseOptions {
  /**
   * Also read what is found in the wild (SPEC.md §3.5): another marker (`[ROSETTA]`, `DECODE:`), white space around
   * pairs (trimmed), a trailing `|`.
   *
   * @default false
   */
  readonly lenient?: boolean
}

/**
 * Reads a header (SPEC.md §3).
 *
 * @throws CodecError with the UTF-16 offset of the first fault.
 * @example
 * parseRosetta('[DECODE] ML=machine learning').entries // [{ term: 'ML', expansion: 'machine learning' }]
 */
export function parseRosetta(text: string, { lenient = false }: ParseOptions = {}): Rosetta {
  return { entries: lenient ? readHeader(trimEnd(text), LENIENT_MARKER, trimPair) : readHeader(text) }
}

const LENIENT_MARKER = /^[^\S\n\r]*(?:\[[^[\]|=\\\n\r]{1,64}\]:?|[^\s[\]|=\\:]{1,64}:)\s*/u

function trimEnd(text: string): string {
  return /[\n\r]/.test(text)
    ? text
    : text
        .trimEnd()
        .replace(/(?<!\\)((?:\\\\)*)\|$/, '$1')
        .trimEnd()
}

function trimPair([term, expansion]: RawPair): RawPair {
  // White space before "=" says that the one behind it is no part of the expansion either.
  const loose = term !== term.trimEnd()
  return [term.trim(), loose ? expansion.trim() : expansion.trimEnd()]
}
