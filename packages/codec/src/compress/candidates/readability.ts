import { CharKind } from '../text/char-kind.ts'
import { freeArrays } from '../text/typed-arrays.ts'
import { numberBracketDepths } from './bracket-depth.ts'
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

/** Judges the phrases of a text, each in constant time. */
export class TextReadability implements Readability {
  private readonly units: Units
  private readonly boundaries: BoundaryCosts
  /** What each unit is: {@link STOP_WORD}, {@link IDEOGRAPH}, or neither. */
  private readonly classes: Uint8Array
  /** Numbers of words, of words with content, and of ideographs before each boundary. */
  private readonly words: Int32Array
  private readonly contentWords: Int32Array
  private readonly ideographs: Int32Array
  private readonly bracketDepths: Int32Array

  constructor(units: Units, boundaries: BoundaryCosts) {
    const { kinds, count } = units
    this.units = units
    this.boundaries = boundaries
    this.classes = classifyUnits(units)
    this.words = new Int32Array(count + 1)
    this.contentWords = new Int32Array(count + 1)
    this.ideographs = new Int32Array(count + 1)
    for (let unit = 0; unit < count; unit++) {
      const isWord = (kinds[unit]! & CharKind.word) !== 0
      const isContent = isWord && this.classes[unit] !== STOP_WORD
      this.words[unit + 1] = this.words[unit]! + (isWord ? 1 : 0)
      this.contentWords[unit + 1] = this.contentWords[unit]! + (isContent ? 1 : 0)
      this.ideographs[unit + 1] = this.ideographs[unit]! + (this.classes[unit] === IDEOGRAPH ? 1 : 0)
    }
    this.bracketDepths = numberBracketDepths(units)
  }

  findBrokenRule(begin: number, end: number): ReadabilityRuleId | undefined {
    if (this.lacksWordEdge(begin, end)) return 'R5'
    if (this.lacksContent(begin, end)) return this.countWords(begin, end) === 0 ? 'R6' : 'R1'
    if (this.isTooShort(begin, end)) return 'R6'
    return this.isBalanced(begin, end) ? undefined : 'R3'
  }

  listBrokenRules(begin: number, end: number): ReadabilityRuleId[] {
    const broken: ReadabilityRuleId[] = []
    if (this.lacksContent(begin, end) && this.countWords(begin, end) > 0) broken.push('R1')
    if (!this.isBalanced(begin, end)) broken.push('R3')
    if (this.lacksWordEdge(begin, end)) broken.push('R5')
    if (this.isTooShort(begin, end)) broken.push('R6')
    return broken
  }

  hasStopWordEdge(begin: number, end: number): boolean {
    return this.classes[begin] === STOP_WORD || this.classes[end - 1] === STOP_WORD
  }

  isWordLike(unit: number): boolean {
    return (this.units.kinds[unit]! & CharKind.word) !== 0 || this.classes[unit] === IDEOGRAPH
  }

  /** Frees the memory; the object must not be used afterwards. */
  free(): void {
    freeArrays(this.classes, this.words, this.contentWords, this.ideographs, this.bracketDepths)
  }

  private lacksWordEdge(begin: number, end: number): boolean {
    return !this.isWordLike(begin) || !this.isWordLike(end - 1)
  }

  private countWords(begin: number, end: number): number {
    return this.words[end]! - this.words[begin]!
  }

  private countIdeographs(begin: number, end: number): number {
    return this.ideographs[end]! - this.ideographs[begin]!
  }

  private lacksContent(begin: number, end: number): boolean {
    return this.contentWords[end] === this.contentWords[begin] && this.countIdeographs(begin, end) < 2
  }

  private isTooShort(begin: number, end: number): boolean {
    const { starts } = this.units
    const words = this.countWords(begin, end)
    if (words + this.countIdeographs(begin, end) >= 2) return false
    if (words === 0) return true
    return (
      starts[end]! - starts[begin]! < LONG_NAME ||
      this.boundaries.ends[end]! - this.boundaries.begins[begin]! < 1
    )
  }

  private isBalanced(begin: number, end: number): boolean {
    return this.bracketDepths[begin] === this.bracketDepths[end]
  }
}

const STOP_WORD = 1
const IDEOGRAPH = 2
const LONGEST_STOP_WORD = 7
const LETTER_OR_NUMBER = /[\p{L}\p{N}]/u

/** Finds the stop words and the characters of scripts without spaces. */
function classifyUnits({ text, starts, ids, kinds, count, alphabet }: Units): Uint8Array {
  const classes = new Uint8Array(count)
  /** 1 more than the class of each id; 0 if not known yet. */
  const known = new Uint8Array(alphabet)
  for (let unit = 0; unit < count; unit++) {
    const id = ids[unit]!
    if (known[id] === 0) known[id] = 1 + classify(text.slice(starts[unit], starts[unit + 1]), kinds[unit]!)
    classes[unit] = known[id]! - 1
  }
  freeArrays(known)
  return classes
}

function classify(unit: string, kind: number): number {
  if (unit.length <= LONGEST_STOP_WORD && STOP_WORDS.has(unit.toLowerCase())) return STOP_WORD
  return kind === 0 && unit.charCodeAt(0) >= 0x0e00 && LETTER_OR_NUMBER.test(unit) ? IDEOGRAPH : 0
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

  free(): void {
    this.readability.free()
  }
}
