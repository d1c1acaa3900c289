import { freeArrays } from '../text/typed-arrays.ts'
import type { BoundaryCosts } from '../cost/boundary-costs.ts'
import type { Units } from '../text/lex-units.ts'
import { REJECTED, type FloorOf } from './candidate-rules.ts'

/**
 * A rule that an author's glossary may break (SPEC.md §8.4 and §8.6): T8 of `dense-1` and `max-1`,
 * the others of `glossary-1`.
 */
export type ReadabilityRuleId = 'R2' | 'R5' | 'R7' | 'R8' | 'T8' | 'T9' | 'T10' | 'T11' | 'T12'

/** Net tokens that an entry must save, and one that starts with a stop word. */
export const FLOOR = 3
export const STOP_WORD_FLOOR = 4

/**
 * Shortest single name that may be an entry, and shortest word that carries meaning, in letters.
 */
const LONG_NAME = 6
const LONG_WORD = 3

/** What each rule requires of an entry. */
export const READABILITY_RULES: Readonly<Record<ReadabilityRuleId, string>> = {
  R2: `an entry that begins with a stop word nets ${STOP_WORD_FLOOR} tokens or more`,
  R5: 'an entry begins with a word and ends with one that is not a stop word',
  R7: `an entry nets ${FLOOR} tokens or more`,
  R8: 'an entry stays inside one line and one table cell',
  T8: 'a term is one letter of Han, kana, Hangul or Thai, or an acronym chosen by the author',
  T9: 'a term is two to four capitals: initials of the words of its expansion in order, from the first word on, or letters of a single name',
  T10: 'a term is neither a word or acronym that readers know nor a word of the text',
  T11: `an entry is at least two words of letters, or one name of at least ${LONG_NAME} letters and two tokens`,
  T12: 'a term is used only in prose: between spaces or punctuation, and not in a heading, a table header, HTML or a code span',
}

/** Judges phrases of a text, each by one occurrence and in constant time. */
export class TextReadability {
  private readonly units: Units
  private readonly boundaries: BoundaryCosts
  private readonly hasAcronym: (phrase: string) => boolean
  /** {@link UnitClass}. */
  private readonly classes: Uint8Array
  /**
   * The numbers of words, of content words, and of units that no entry may contain, before each
   * boundary.
   */
  private readonly words: Int32Array
  private readonly contentWords: Int32Array
  private readonly strange: Int32Array

  /**
   * @param hasAcronym Whether a phrase has an acronym that the text does not use. T9 is not checked
   *   without it.
   */
  constructor(units: Units, boundaries: BoundaryCosts, hasAcronym?: (phrase: string) => boolean) {
    const { count } = units
    this.units = units
    this.boundaries = boundaries
    this.hasAcronym = hasAcronym ?? (() => true)
    this.classes = classifyUnits(units)
    this.words = new Int32Array(count + 1)
    this.contentWords = new Int32Array(count + 1)
    this.strange = new Int32Array(count + 1)
    for (let unit = 0; unit < count; unit++) {
      const kind = this.classes[unit]!
      this.words[unit + 1] = this.words[unit]! + (this.isWord(unit) && !this.isEnding(unit) ? 1 : 0)
      this.contentWords[unit + 1] =
        this.contentWords[unit]! + (kind === UnitClass.contentWord && !this.isEnding(unit) ? 1 : 0)
      this.strange[unit + 1] = this.strange[unit]! + (this.isStrange(unit) ? 1 : 0)
    }
  }

  readonly floorOf: FloorOf = (begin, end) => {
    if (this.findBrokenRule(begin, end) !== undefined) return REJECTED
    return this.startsWithStopWord(begin) ? STOP_WORD_FLOOR : FLOOR
  }

  findBrokenRule(begin: number, end: number): ReadabilityRuleId | undefined {
    if (this.strange[end] !== this.strange[begin]) return 'T11'
    if (!this.isWord(begin) || this.classes[end - 1]! <= UnitClass.stopWord) return 'R5'
    if (this.isTooShort(begin, end)) return 'T11'
    const { text, starts } = this.units
    const phrase = text.slice(starts[begin], starts[end])
    return this.hasAcronym(phrase) ? undefined : 'T9'
  }

  startsWithStopWord(begin: number): boolean {
    return this.classes[begin] === UnitClass.stopWord
  }

  private isWord(unit: number): boolean {
    return this.classes[unit]! >= UnitClass.stopWord
  }

  private isEnding(unit: number): boolean {
    return this.classes[unit - 1] === UnitClass.apostrophe
  }

  /**
   * Whether a unit is not a word of letters, a space, a comma, or a hyphen or apostrophe between
   * words.
   */
  private isStrange(unit: number): boolean {
    const kind = this.classes[unit]!
    if (kind !== UnitClass.hyphen && kind !== UnitClass.apostrophe) return kind === UnitClass.other
    return !this.isWord(unit - 1) || unit + 1 >= this.units.count || !this.isWord(unit + 1)
  }

  private isTooShort(begin: number, end: number): boolean {
    const { starts } = this.units
    const words = this.words[end]! - this.words[begin]!
    if (words > 1) return this.contentWords[end] === this.contentWords[begin]
    return (
      end - begin > 1 ||
      starts[end]! - starts[begin]! < LONG_NAME ||
      this.boundaries.ends[end]! - this.boundaries.begins[begin]! < 1
    )
  }
}

/** Classes of units. Those from `stopWord` on are words of letters. */
const UnitClass = {
  other: 0,
  space: 1,
  hyphen: 2,
  apostrophe: 3,
  stopWord: 4,
  shortWord: 5,
  contentWord: 6,
} as const
const WORD = /^\p{Script=Latin}+$/u

function classifyUnits({ text, starts, ids, count, alphabet }: Units): Uint8Array {
  const classes = new Uint8Array(count)
  /** The class of each id, plus 1; 0 if not known yet. */
  const known = new Uint8Array(alphabet)
  for (let unit = 0; unit < count; unit++) {
    const id = ids[unit]!
    if (known[id] === 0) known[id] = 1 + classify(text.slice(starts[unit], starts[unit + 1]))
    classes[unit] = known[id]! - 1
  }
  freeArrays(known)
  return classes
}

function classify(unit: string): number {
  if (unit === ' ' || unit === ',') return UnitClass.space
  if (unit === '-') return UnitClass.hyphen
  if (unit === "'" || unit === '’') return UnitClass.apostrophe
  if (!WORD.test(unit)) return UnitClass.other
  if (STOP_WORDS.has(unit.toLowerCase())) return UnitClass.stopWord
  return unit.length < LONG_WORD ? UnitClass.shortWord : UnitClass.contentWord
}

/** Words without meaning of their own: no entry consists only of them. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a about after all also am an and any are as at be because been before being both but by can could did do does ' +
    'each either for from had has have he her here his how i if in into is it its just may me might more most must my ' +
    'no nor not of off on once only or other our out over own per she should so some such than that the their them ' +
    'then there these they this those though through to too under until up upon us very was we were what when where ' +
    'which while who whom why will with within without would you your'
  ).split(' '),
)
