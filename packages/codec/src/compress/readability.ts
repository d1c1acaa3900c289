import { CharKind } from './char-kind.ts'
import type { EdgeCosts } from './edge-costs.ts'
import { REFUSED, type PhraseRule } from './find-phrases.ts'
import type { Units } from './lex-units.ts'
import { CLEARLY, FLOOR, LONG_NAME, type ReadabilityRuleId } from './readability-rules.ts'
import { STOP_WORDS } from './word-lists.ts'

/** The rules on how a phrase reads; a phrase is judged by one appearance, units `begin` up to `end`. */
export interface Readability {
  /** The first rule broken, whatever the phrase saves; cheap ones are asked first. */
  readonly findBroken: (begin: number, end: number) => ReadabilityRuleId | undefined
  /** All rules broken, whatever the phrase saves. */
  readonly listBroken: (begin: number, end: number) => ReadabilityRuleId[]
  /** Does it begin or end with a stop word (R2). */
  readonly hasStopEdge: (begin: number, end: number) => boolean
  /** Is a unit part of a word, or a character of a script without spaces. */
  readonly isWordLike: (unit: number) => boolean
}

/** Creates the judge of phrases of a text. */
export function createReadability(units: Units, edges: EdgeCosts): Readability {
  const { text, starts, kinds } = units
  let words = 0
  let telling = 0
  let ideographs = 0
  return {
    findBroken(begin, end) {
      if (lacksWordEdge(begin, end)) return 'R5'
      countWords(begin, end)
      if (saysNothing()) return words === 0 ? 'R6' : 'R1'
      if (isTooShort(begin, end)) return 'R6'
      return isBalanced(text, starts[begin]!, starts[end]!) ? undefined : 'R3'
    },
    listBroken(begin, end) {
      countWords(begin, end)
      const broken: ReadabilityRuleId[] = []
      if (saysNothing() && words > 0) broken.push('R1')
      if (!isBalanced(text, starts[begin]!, starts[end]!)) broken.push('R3')
      if (lacksWordEdge(begin, end)) broken.push('R5')
      if (isTooShort(begin, end)) broken.push('R6')
      return broken
    },
    hasStopEdge: (begin, end) => isStopWord(begin) || isStopWord(end - 1),
    isWordLike,
  }

  function lacksWordEdge(begin: number, end: number): boolean {
    return !isWordLike(begin) || !isWordLike(end - 1)
  }

  function countWords(begin: number, end: number): void {
    words = 0
    telling = 0
    ideographs = 0
    for (let unit = begin; unit < end; unit++) {
      if ((kinds[unit]! & CharKind.word) !== 0) {
        words++
        if (!isStopWord(unit)) telling++
      } else if (isIdeograph(unit)) ideographs++
    }
  }

  function saysNothing(): boolean {
    return telling === 0 && ideographs < 2
  }

  function isTooShort(begin: number, end: number): boolean {
    if (words + ideographs >= 2) return false
    if (words === 0) return true
    return starts[end]! - starts[begin]! < LONG_NAME || edges.ends[end]! - edges.begins[begin]! < 1
  }

  function isWordLike(unit: number): boolean {
    return (kinds[unit]! & CharKind.word) !== 0 || isIdeograph(unit)
  }

  function isStopWord(unit: number): boolean {
    const size = starts[unit + 1]! - starts[unit]!
    return size <= 7 && STOP_WORDS.has(text.slice(starts[unit], starts[unit + 1]).toLowerCase())
  }

  function isIdeograph(unit: number): boolean {
    const code = text.charCodeAt(starts[unit]!)
    return code >= 0x0e00 && kinds[unit] === 0 && IDEOGRAPH.test(text.slice(starts[unit], starts[unit + 1]))
  }
}

/** Net tokens that a `glossary-1` entry must bring by the rules on how a phrase reads (SPEC.md, readability rules). */
export function createReadabilityRule(units: Units, edges: EdgeCosts): PhraseRule {
  const readability = createReadability(units, edges)
  return (begin, end) => {
    if (readability.findBroken(begin, end) !== undefined) return REFUSED
    return readability.hasStopEdge(begin, end) ? CLEARLY : FLOOR
  }
}

/** Does a use cut inside a number, a version or a section reference (R4). */
export function cutsNumber({ text, starts }: Units, begin: number, end: number): boolean {
  return cutsNumberAt(text, starts[begin]!, starts[end]!)
}

/** Does a digit at an edge of UTF-16 offsets `from` up to `to` go on outside, over `.`, `,`, `:`, `-` or `/`. */
export function cutsNumberAt(text: string, from: number, to: number): boolean {
  return (
    (isDigit(text.charCodeAt(from)) &&
      isJoint(text.charCodeAt(from - 1)) &&
      isDigit(text.charCodeAt(from - 2))) ||
    (isDigit(text.charCodeAt(to - 1)) && isJoint(text.charCodeAt(to)) && isDigit(text.charCodeAt(to + 1)))
  )
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

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

function isJoint(code: number): boolean {
  return code === 46 || code === 44 || code === 58 || code === 45 || code === 47
}
