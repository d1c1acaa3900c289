/** How often a term occurs in an entry, and whether in its headings or title. */
export interface Occurrence {
  /** Uses in the text, at most 31. */
  readonly uses: number
  /** Whether it is in the heading of a section, or in any heading of a pack. */
  readonly inHeading: boolean
  /** Whether it is in a heading above a section, or in the description or a tag of a pack. */
  readonly inPath: boolean
  /** Whether it is in the title or slug of the pack. */
  readonly inTitle: boolean
}

export interface Vector {
  readonly length: number
  readonly occurrences: ReadonlyMap<number, Occurrence>
}

/** Increase it after a change of analysis, figures or encoding: catalogs then need `pack index`. */
export const INDEX_FORMAT = 7

export const MAX_USES = 31

/** Bits of the flags of a term. The number of uses is in the bits above them. */
export const HEADING = 4
export const PATH = 2
export const TITLE = 1
export const USES_SHIFT = 3

/**
 * Writes a vector as bytes.
 *
 *     vector     = length occurrence*
 *     occurrence = difference flags       in the order of the terms' numbers
 *     difference = number of the term − number of the term before
 *     flags      = 8 × uses + 4 in the heading + 2 in the path + 1 in the title; one byte
 *
 * Length and difference are unsigned LEB128, below 2 ** 31.
 */
export function encodeVector({ length, occurrences }: Vector): Uint8Array {
  const bytes = new Uint8Array(MOST_BYTES + (MOST_BYTES + 1) * occurrences.size)
  let at = 0
  const writeNumber = (number: number): void => {
    let rest = number
    for (; rest > 127; rest >>>= 7) bytes[at++] = (rest & 127) | 128
    bytes[at++] = rest
  }
  writeNumber(length)
  let before = 0
  // Typed arrays sort numbers without a call for each pair.
  for (const term of Int32Array.from(occurrences.keys()).sort()) {
    writeNumber(term - before)
    bytes[at++] = packFlags(occurrences.get(term)!)
    before = term
  }
  return bytes.slice(0, at)
}

/** Of a number. */
const MOST_BYTES = 5

function packFlags({ uses, inHeading, inPath, inTitle }: Occurrence): number {
  return (
    8 * Math.min(uses, MAX_USES) + (inHeading ? HEADING : 0) + (inPath ? PATH : 0) + (inTitle ? TITLE : 0)
  )
}

/** @throws RangeError if the bytes are not a vector */
export function decodeVector(bytes: Uint8Array): Vector {
  const occurrences = new Map<number, Occurrence>()
  let length = -1
  let term = 0
  let number = 0
  let shift = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!
    number |= (byte & 127) << shift
    shift += 7
    if (byte > 127) {
      if (shift > 28) throw new RangeError('Invalid vector')
      continue
    }
    if (length < 0) length = number
    else {
      term += number
      at += 1
      if (at >= bytes.length) throw new RangeError('Invalid vector')
      const flags = bytes[at]!
      occurrences.set(term, {
        uses: flags >> USES_SHIFT,
        inHeading: (flags & HEADING) !== 0,
        inPath: (flags & PATH) !== 0,
        inTitle: (flags & TITLE) !== 0,
      })
    }
    number = 0
    shift = 0
  }
  if (length < 0 || shift > 0) throw new RangeError('Invalid vector')
  return { length, occurrences }
}

/**
 * Finds terms in a vector without decoding all of it. Ranking reads more than a thousand vectors
 * per query, so this loop reads the numbers itself and stops after the last wanted term.
 * @param wanted Numbers of terms, ascending.
 * @param flags Receives the flags of each; 0 for a term that is not in the vector.
 * @returns The length.
 * @throws RangeError if the bytes read are not a vector
 */
export function findTerms(bytes: Uint8Array, wanted: Int32Array, flags: Uint8Array): number {
  flags.fill(0)
  const size = bytes.length
  let at = 0
  let term = 0
  let length = -1
  let next = 0
  while (at < size && (length < 0 || next < wanted.length)) {
    let byte = bytes[at++]!
    let number = byte & 127
    for (let shift = 7; byte > 127; shift += 7) {
      if (at >= size || shift > 28) throw new RangeError('Invalid vector')
      byte = bytes[at++]!
      number |= (byte & 127) << shift
    }
    if (length < 0) {
      length = number
      continue
    }
    if (at >= size) throw new RangeError('Invalid vector')
    term += number
    while (wanted[next]! < term) next += 1
    if (wanted[next] === term) flags[next] = bytes[at]!
    at += 1
  }
  if (length < 0) throw new RangeError('Invalid vector')
  return length
}

/** Maximum number of key terms from the text alone. */
const MAX_KEYS = 8

/**
 * Returns the terms that an entry is mostly about: those of its heading, path and title, and those
 * that its text uses most. For a term in very many entries, only these are searched (a champion
 * list: Manning, Raghavan, Schütze, "Introduction to Information Retrieval", 7.1.3). Pairs of
 * characters do not count towards the limit: they are many, and reveal the order of a text, so
 * which other terms are kept must not depend on them.
 * @param isPair Whether only readers of the full text may look up a term.
 */
export function listKeyTerms<Term>(
  occurrences: ReadonlyMap<Term, Occurrence>,
  isPair: (term: Term) => boolean,
): Term[] {
  const names = (occurrence: Occurrence): boolean =>
    occurrence.inHeading || occurrence.inPath || occurrence.inTitle
  const counts = new Uint32Array(MAX_USES + 1)
  for (const [term, found] of occurrences)
    if (!names(found) && !isPair(term)) counts[Math.min(found.uses, MAX_USES)]! += 1
  let least = MAX_USES + 1
  let keys = 0
  while (least > 2) {
    keys += counts[least - 1]!
    if (keys > MAX_KEYS) break
    least -= 1
  }
  return [...occurrences].flatMap(([term, found]) => (names(found) || found.uses >= least ? [term] : []))
}
