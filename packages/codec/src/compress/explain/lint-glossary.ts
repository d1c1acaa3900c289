import { getTokenizer } from '../../tokens/get-tokenizer.ts'
import type { TokenizerName } from '../../tokens/types.ts'
import { measureBoundaries } from '../cost/boundary-costs.ts'
import { PhraseFinder } from '../text/phrase-finder.ts'
import { lexUnits } from '../text/lex-units.ts'
import {
  STOP_WORD_FLOOR,
  FLOOR,
  READABILITY_RULES,
  type ReadabilityRuleId,
  TextReadability,
  type Readability,
} from '../candidates/readability.ts'
import { STOP_WORDS } from '../candidates/word-lists.ts'
import { cutsNumberAt } from '../candidates/candidate-rules.ts'
import { isKnownWord, means } from '../terms/known-words.ts'
import type { CompressionEntry, GlossaryRule } from '../types.ts'

/** A glossary rule for an entry that the compressor would not choose by itself. `rule` is its index. */
export interface GlossaryWarning {
  readonly rule: number
  readonly broken: ReadabilityRuleId
  readonly message: string
}

export interface LintOptions {
  /** The text that the glossary is for, to check whether numbers are cut (R4). @default '' */
  readonly markdown?: string
  /** The resulting entries, to check what they save (R2, R7). @default [] */
  readonly entries?: readonly CompressionEntry[]
  /** Any tokenizer but the default must be loaded first. @default 'o200k_base' */
  readonly tokenizer?: TokenizerName
}

/**
 * Checks an author's glossary against the readability rules of `glossary-1` (SPEC.md §8.4). They bind only the
 * compressor: the author may decide otherwise.
 *
 * @throws {TokenError} `tokenizer_not_loaded`, `unknown_tokenizer`
 * @example
 * lintGlossary([{ expansion: 'log (see', term: 'LS' }]) // [{ rule: 0, broken: 'R3', message: '…' }]
 */
export function lintGlossary(
  rules: readonly GlossaryRule[],
  { markdown = '', entries = [], tokenizer = 'o200k_base' }: LintOptions = {},
): GlossaryWarning[] {
  const nets = new Map(entries.map(({ expansion, net }) => [expansion, net]))
  const cut = findCutNumbers(rules, markdown)
  return rules.flatMap(({ expansion, term, never }, rule) => {
    if (never || expansion === '') return []
    const { readability, count } = readExpansion(expansion, tokenizer)
    const broken = readability.listBrokenRules(0, count)
    const net = nets.get(expansion) ?? Infinity
    if (net < STOP_WORD_FLOOR && readability.hasStopWordEdge(0, count)) broken.push('R2')
    if (net < FLOOR) broken.push('R7')
    if (cut.has(expansion)) broken.push('R4')
    if (/[\r\n]|(?<!\\)\|/.test(expansion)) broken.push('R8')
    if (term !== undefined && isMisread(term, expansion)) broken.push('R9')
    return broken.sort().map((id) => ({ rule, broken: id, message: describe(id, expansion, term) }))
  })
}

function readExpansion(expansion: string, name: TokenizerName): { readability: Readability; count: number } {
  const tokenizer = getTokenizer(name)
  // Most phrases follow a space in a text, so a name's tokens are counted after one.
  const units = lexUnits(` ${expansion}`, new Int32Array(0), true)
  const boundaries = measureBoundaries(units, tokenizer.splitPieces(units.text), tokenizer, 'ML')
  const readability = new TextReadability(units, boundaries)
  return {
    count: units.count - 1,
    readability: {
      findBrokenRule: (begin, end) => readability.findBrokenRule(begin + 1, end + 1),
      listBrokenRules: (begin, end) => readability.listBrokenRules(begin + 1, end + 1),
      hasStopWordEdge: (begin, end) => readability.hasStopWordEdge(begin + 1, end + 1),
      isWordLike: (unit) => readability.isWordLike(unit + 1),
    },
  }
}

/** Finds the phrases that cut a number at one of their places in a text (R4). */
function findCutNumbers(rules: readonly GlossaryRule[], text: string): Set<string> {
  const phrases = [...new Set(rules.map(({ expansion }) => expansion))].filter((phrase) => phrase !== '')
  const cut = new Set<string>()
  for (const [index, starts] of new PhraseFinder(phrases).listStarts(text).entries()) {
    const phrase = phrases[index]!
    if (starts.some((start) => cutsNumberAt(text, start, start + phrase.length))) cut.add(phrase)
  }
  return cut
}

function isMisread(term: string, expansion: string): boolean {
  return (isKnownWord(term) && !means(term, expansion)) || STOP_WORDS.has(term.toLowerCase())
}

function describe(id: ReadabilityRuleId, expansion: string, term: string | undefined): string {
  const found = JSON.stringify((id === 'R9' ? term! : expansion).slice(0, 80))
  return `Glossary entry against ${id}, ${READABILITY_RULES[id]}: ${found}`
}
