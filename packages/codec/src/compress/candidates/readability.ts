import { CharKind } from '../text/char-kind.ts'
import type { BoundaryCosts } from '../cost/boundary-costs.ts'
import type { Units } from '../text/lex-units.ts'
import { STOP_WORDS } from './word-lists.ts'
import { REJECTED, type CandidateRule } from './candidate-rules.ts'

/** Number of a readability rule (SPEC.md, readability rules of glossary-1). */
export type ReadabilityRuleId = 'R1' | 'R2' | 'R3' | 'R4' | 'R5' | 'R6' | 'R7' | 'R8' | 'R9'

/** Net tokens that an entry must save, and that an entry with a stop word at its start or end must save. */
export const FLOOR = 3
export const STOP_WORD_FLOOR = 4

/** Shortest single name that may be an entry, in UTF-16 units. */
export const LONG_NAME = 6

/** What each rule requires of an entry. */
export const READABILITY_RULES: Readonly<Record<ReadabilityRuleId, string>> = {
  R1: 'an entry says something: it is not of stop words only',
  R2: `an entry that begins or ends with a stop word nets ${STOP_WORD_FLOOR} tokens or more`,
  R3: 'brackets and quotes are balanced',
  R4: 'no use cuts a number, a version or a section reference',
  R5: 'an entry begins and ends with a word',
  R6: `an entry is two words or more, or one name of ${LONG_NAME} letters or more that takes more than one token`,
  R7: `an entry nets ${FLOOR} tokens or more`,
  R8: 'an entry stays inside one line and one table cell',
  R9: 'a term is no common English word',
}

/** The readability rules. A phrase is judged by one occurrence, units `begin` up to `end`. */
export interface Readability {
  /** Returns the first broken rule, apart from those on savings; the cheapest checks come first. */
  readonly findBrokenRule: (begin: number, end: number) => ReadabilityRuleId | undefined
  /** Returns all broken rules, apart from those on savings. */
  readonly listBrokenRules: (begin: number, end: number) => ReadabilityRuleId[]
  /** Whether the phrase starts or ends with a stop word (R2). */
  readonly hasStopWordEdge: (begin: number, end: number) => boolean
  /** Whether a unit is a word, or a character of a script without spaces. */
  readonly isWordLike: (unit: number) => boolean
}

/** Judges the phrases of a text. */
export class TextReadability implements Readability {
  private readonly units: Units
  private readonly boundaries: BoundaryCosts
  private words = 0
  private contentWords = 0
  private ideographs = 0

  constructor(units: Units, boundaries: BoundaryCosts) {
    this.units = units
    this.boundaries = boundaries
  }

  findBrokenRule(begin: number, end: number): ReadabilityRuleId | undefined {
    const { text, starts } = this.units
    if (this.lacksWordEdge(begin, end)) return 'R5'
    this.countWords(begin, end)
    if (this.lacksContent()) return this.words === 0 ? 'R6' : 'R1'
    if (this.isTooShort(begin, end)) return 'R6'
    return isBalanced(text, starts[begin]!, starts[end]!) ? undefined : 'R3'
  }

  listBrokenRules(begin: number, end: number): ReadabilityRuleId[] {
    const { text, starts } = this.units
    this.countWords(begin, end)
    const broken: ReadabilityRuleId[] = []
    if (this.lacksContent() && this.words > 0) broken.push('R1')
    if (!isBalanced(text, starts[begin]!, starts[end]!)) broken.push('R3')
    if (this.lacksWordEdge(begin, end)) broken.push('R5')
    if (this.isTooShort(begin, end)) broken.push('R6')
    return broken
  }

  hasStopWordEdge(begin: number, end: number): boolean {
    return this.isStopWord(begin) || this.isStopWord(end - 1)
  }

  isWordLike(unit: number): boolean {
    return (this.units.kinds[unit]! & CharKind.word) !== 0 || this.isIdeograph(unit)
  }

  private lacksWordEdge(begin: number, end: number): boolean {
    return !this.isWordLike(begin) || !this.isWordLike(end - 1)
  }

  private countWords(begin: number, end: number): void {
    this.words = 0
    this.contentWords = 0
    this.ideographs = 0
    for (let unit = begin; unit < end; unit++) {
      if ((this.units.kinds[unit]! & CharKind.word) !== 0) {
        this.words++
        if (!this.isStopWord(unit)) this.contentWords++
      } else if (this.isIdeograph(unit)) this.ideographs++
    }
  }

  private lacksContent(): boolean {
    return this.contentWords === 0 && this.ideographs < 2
  }

  private isTooShort(begin: number, end: number): boolean {
    const { starts } = this.units
    if (this.words + this.ideographs >= 2) return false
    if (this.words === 0) return true
    return (
      starts[end]! - starts[begin]! < LONG_NAME ||
      this.boundaries.ends[end]! - this.boundaries.begins[begin]! < 1
    )
  }

  private isStopWord(unit: number): boolean {
    const { text, starts } = this.units
    const size = starts[unit + 1]! - starts[unit]!
    return size <= 7 && STOP_WORDS.has(text.slice(starts[unit], starts[unit + 1]).toLowerCase())
  }

  private isIdeograph(unit: number): boolean {
    const { text, starts, kinds } = this.units
    const code = text.charCodeAt(starts[unit]!)
    return code >= 0x0e00 && kinds[unit] === 0 && IDEOGRAPH.test(text.slice(starts[unit], starts[unit + 1]))
  }
}

/**
 * Returns the net tokens that an entry of `glossary-1` must save by the readability rules (SPEC.md, readability
 * rules).
 */
export class ReadabilityRule implements CandidateRule {
  private readonly readability: TextReadability

  constructor(units: Units, boundaries: BoundaryCosts) {
    this.readability = new TextReadability(units, boundaries)
  }

  floorOf(begin: number, end: number): number {
    if (this.readability.findBrokenRule(begin, end) !== undefined) return REJECTED
    return this.readability.hasStopWordEdge(begin, end) ? STOP_WORD_FLOOR : FLOOR
  }
}

const IDEOGRAPH = /[\p{L}\p{N}]/u
const CLOSERS: ReadonlyMap<string, string> = new Map([
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
  ['<', '>'],
  ['“', '”'],
  ['「', '」'],
])
const OPENERS: ReadonlySet<string> = new Set(CLOSERS.keys())
const CLOSING: ReadonlySet<string> = new Set(CLOSERS.values())
const PAIRED: ReadonlySet<string> = new Set(['`', '"', '*'])

function isBalanced(text: string, from: number, to: number): boolean {
  const open: string[] = []
  for (let at = from; at < to; at++) {
    const character = text[at]!
    if (OPENERS.has(character)) open.push(CLOSERS.get(character)!)
    else if (PAIRED.has(character)) {
      if (open.at(-1) === character) open.pop()
      else open.push(character)
    } else if (CLOSING.has(character) && open.pop() !== character) return false
  }
  return open.length === 0
}
