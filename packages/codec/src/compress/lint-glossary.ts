import { classAt, classBefore, WORD } from '../decode/word-edge.ts'
import { scriptOf } from '../rosetta/term-scripts.ts'
import { getTokenizer } from '../tokens/get-tokenizer.ts'
import type { TokenizerName } from '../tokens/types.ts'
import type { Scheme } from '../types.ts'
import {
  FLOOR,
  READABILITY_RULES,
  type ReadabilityRuleId,
  STOP_WORD_FLOOR,
  TextReadability,
} from './candidates/readability.ts'
import { measureBoundaries } from './cost/boundary-costs.ts'
import { isKnownWord, means } from './terms/known-words.ts'
import { recalls } from './terms/make-acronyms.ts'
import { lexUnits } from './text/lex-units.ts'
import type { CompressionEntry, GlossaryRule } from './types.ts'

/** A glossary rule whose entry the compressor would not choose by itself. `rule` is its index. */
export interface GlossaryWarning {
  readonly rule: number
  readonly broken: ReadabilityRuleId
  readonly message: string
}

export interface LintOptions {
  /** The scheme whose rules are checked; none under `none`. @default 'glossary-1' */
  readonly scheme?: Scheme
  /** For R2 and R7. */
  readonly entries?: readonly CompressionEntry[]
  readonly tokenizer?: TokenizerName
}

/**
 * Checks an author's glossary against the rules of a scheme (SPEC.md §8.4 and §8.6). The rules bind
 * only the compressor; authors may ignore them.
 * @throws {TokenError} `tokenizer_not_loaded`, `unknown_tokenizer`
 */
export function lintGlossary(
  rules: readonly GlossaryRule[],
  { scheme = 'glossary-1', entries = [], tokenizer = 'o200k_base' }: LintOptions = {},
): GlossaryWarning[] {
  if (scheme !== 'glossary-1') return scheme === 'none' ? [] : lintLetters(rules)
  const nets = new Map(entries.map(({ expansion, net }) => [expansion, net]))
  return rules.flatMap(({ expansion, term, never }, rule) => {
    if (never || expansion === '') return []
    const { broken: first, startsWithStopWord } = judgePhrase(expansion, tokenizer)
    const broken: ReadabilityRuleId[] = first === undefined ? [] : [first]
    const net = nets.get(expansion) ?? Infinity
    if (net < STOP_WORD_FLOOR && startsWithStopWord) broken.push('R2')
    if (net < FLOOR) broken.push('R7')
    if (/[\r\n]|(?<!\\)\|/.test(expansion)) broken.push('R8')
    if (term !== undefined && !recalls(term, expansion)) broken.push('T9')
    if (term !== undefined && isKnownWord(term) && !means(term, expansion)) broken.push('T10')
    return broken.sort(byNumber).map((id) => ({ rule, broken: id, message: describe(id, expansion, term) }))
  })
}

/**
 * Warns about terms that are neither an acronym nor a letter of the scripts of `dense-1` and
 * `max-1` (T8).
 */
function lintLetters(rules: readonly GlossaryRule[]): GlossaryWarning[] {
  return rules.flatMap(({ expansion, term, never }, rule) =>
    never || term === undefined || isLetterOrAcronym(term)
      ? []
      : [{ rule, broken: 'T8', message: describe('T8', expansion, term) }],
  )
}

function judgePhrase(
  expansion: string,
  name: TokenizerName,
): { readonly broken: ReadabilityRuleId | undefined; readonly startsWithStopWord: boolean } {
  const tokenizer = getTokenizer(name)
  // Most phrases in a text follow a space, so a name's tokens are counted after one.
  const units = lexUnits(` ${expansion}`, new Int32Array(0), true)
  const boundaries = measureBoundaries(units, tokenizer.splitPieces(units.text), tokenizer, 'ML')
  const readability = new TextReadability(units, boundaries)
  return {
    broken: readability.findBrokenRule(1, units.count),
    startsWithStopWord: readability.startsWithStopWord(1),
  }
}

function byNumber(a: ReadabilityRuleId, b: ReadabilityRuleId): number {
  return a.localeCompare(b, 'en', { numeric: true })
}

function describe(id: ReadabilityRuleId, expansion: string, term: string | undefined): string {
  const found = JSON.stringify((id === 'T8' || id === 'T9' || id === 'T10' ? term! : expansion).slice(0, 80))
  return `Glossary entry breaks ${id} (${READABILITY_RULES[id]}): ${found}`
}

/**
 * Whether the term is one that encoders choose: a letter of a script without spaces, or an acronym
 * (SPEC.md §8.6).
 */
function isLetterOrAcronym(term: string): boolean {
  const isWord = (classAt(term, 0) & classBefore(term, term.length) & WORD) > 0
  return scriptOf(term) !== undefined || (isWord && /^\p{L}\S/u.test(term))
}
