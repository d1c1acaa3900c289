import { MAX_OUTPUT } from '../rosetta/grammar.ts'
import type { Rosetta } from '../types.ts'
import { createExpander } from './create-expander.ts'
import type { DecodeOptions } from './decode.ts'
import { classAt, MARK, WORD } from './word-edge.ts'

/** A use of a term in an answer. */
export interface TermUse {
  readonly term: string
  /** What the term means, as `decodeAnswer` writes it. */
  readonly expansion: string
  /** UTF-16 offset in the answer. */
  readonly offset: number
}

/**
 * Expands the terms in what a model writes, where it is certain that they are terms (SPEC.md §4.6):
 * single letters of Han, kana, Hangul or Thai in an answer that is written in other letters.
 * Everything else is unchanged, so most answers are returned as they are, and no answer is an
 * error. For the contents of packs and prompts use `decode`; for the strings of JSON, such as the
 * arguments of a tool call, pass it to `JSON.parse` in a reviver.
 * @param options a use is not expanded if the output would then exceed `maxOutput`
 * @throws CodecError for an invalid header
 * @example
 * decodeAnswer('Ask the 水 (€1,190)', '[DECODE] 水=database administrator|€=consignments') // 'Ask
 * the database administrator (€1,190)'
 */
export function decodeAnswer(
  text: string,
  rosetta: string | Rosetta,
  { maxOutput }: DecodeOptions = {},
): string {
  return createReader(rosetta, maxOutput)(text, true)
}

/**
 * Lists the uses of terms that `decodeAnswer` would expand in what a model writes, for example to
 * log that a model writes terms.
 * @throws CodecError for an invalid header
 * @example
 * listTerms('Ask the 水', '[DECODE] 水=administrator') // [{ term: '水', expansion: 'administrator',
 * offset: 8 }]
 */
export function listTerms(text: string, rosetta: string | Rosetta): TermUse[] {
  const uses: TermUse[] = []
  createReader(rosetta, 0, uses)(text, true)
  return uses
}

/** Decodes answers in chunks that may be cut anywhere, also inside a surrogate pair. */
export interface AnswerDecoder {
  /** Takes the next chunk and returns all output that is certain. */
  push(this: void, chunk: string): string
  /** Ends the answer and returns the remaining output. What is pushed next is another answer. */
  end(this: void): string
}

/**
 * Creates a decoder for what a model streams. Its joined outputs equal the result of
 * `decodeAnswer`, however the answer is cut. It holds back at most a term and half a surrogate
 * pair.
 * @param options `maxOutput` bounds all answers of the decoder together
 * @throws CodecError for an invalid header
 * @example
 * const { push, end } = createAnswerDecoder('[DECODE] 水=administrator')
 * push('Ask the 水') + push(', please') + end() // 'Ask the administrator, please'
 */
export function createAnswerDecoder(
  rosetta: string | Rosetta,
  { maxOutput }: DecodeOptions = {},
): AnswerDecoder {
  const read = createReader(rosetta, maxOutput)
  return { push: (chunk) => read(chunk, false), end: () => read('', true) }
}

/**
 * Prepares a header for reading answers, one after another. A letter outside W that is not a
 * certain use ends expansion in its answer, so only what follows a term needs to be checked, not
 * what precedes it.
 * @param uses receives the certain uses
 * @returns takes the next chunk of an answer, and returns all output that is certain
 */
function createReader(
  rosetta: string | Rosetta,
  maxOutput: number = MAX_OUTPUT,
  uses?: TermUse[],
): (chunk: string, final: boolean) => string {
  const { terms, expansions } = createExpander(rosetta)
  // A term that means only white space is not expanded.
  const meanings = new Map(terms.map((term, number) => [term, expansions[number]!.trim() || term]))
  let room = maxOutput
  let held = ''
  let hasLetter = false
  let isCertain = true

  return (chunk, final) => {
    const text = held + chunk
    let output = ''
    let from = 0
    // The first half of a surrogate pair does not tell yet which character follows.
    let end = text.length - +(isCertain && !final && text.charCodeAt(text.length - 1) >> 10 === 54)
    for (let at = 0; isCertain && at < end;) {
      const offset = at
      const isWord = (classAt(text, at) & WORD) > 0
      at += text.codePointAt(at)! > 65_535 ? 2 : 1
      if ((isWord && hasLetter) || !isLetter(text, offset)) continue
      if (isWord) {
        hasLetter = true
        continue
      }
      const term = text.slice(offset, at)
      const expansion = hasLetter ? meanings.get(term) : undefined
      if (expansion !== undefined && at === end && !final) {
        end = offset
        break
      }
      if (expansion === undefined || (at < end && isBeside(text, at))) {
        isCertain = false
        end = text.length
        break
      }
      uses?.push({ term, expansion, offset })
      const rest = room - (offset - from) - expansion.length
      if (rest < 0) continue
      room = rest
      output += text.slice(from, offset) + expansion
      from = at
    }
    room -= end - from
    held = text.slice(end)
    if (final) {
      hasLetter = false
      isCertain = true
    }
    return output + text.slice(from, end)
  }
}

/** Whether a mark, or a letter outside W, makes the term before it uncertain. */
function isBeside(text: string, at: number): boolean {
  const found = classAt(text, at)
  return (found & MARK) > 0 || (!(found & WORD) && isLetter(text, at))
}

const LETTER = /\p{L}/uy

function isLetter(text: string, at: number): boolean {
  LETTER.lastIndex = at
  return LETTER.test(text)
}
