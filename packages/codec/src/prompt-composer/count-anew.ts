import { isWorthHeader } from '../compress/cost/prompt-savings.ts'
import { compressSet } from '../compress/compress-set.ts'
import { decode } from '../decode/decode.ts'
import { frameContents, INSTRUCTION } from '../prompt/frame-packs.ts'
import { parseRosetta } from '../rosetta/parse-rosetta.ts'
import { serializeRosetta } from '../rosetta/serialize-rosetta.ts'
import type { RosettaEntry } from '../types.ts'
import type { PromptSettings } from './plan-prompt.ts'
import type { PromptDocument } from './types.ts'

/**
 * Counts the tokens of a prompt of all packs, composed anew: those of a prompt, whose text is decoded as a whole, and
 * further ones.
 *
 * @param entries the header of `text`
 */
export function countAnew(
  text: string,
  entries: readonly RosettaEntry[],
  packs: readonly PromptDocument[],
  bodies: readonly string[],
  { scheme, tokenizer, glossary, code = packs.some((pack) => pack.code), worthHeader }: PromptSettings,
): number {
  const before = decode(dropHeaders(text, entries), { entries })
  const sources = before + frameContents(packs, bodies, before)
  const plain = tokenizer.countTokens(sources)
  if (scheme === 'none' || !sources.isWellFormed()) return plain
  const texts = [before, ...bodies]
  const reserved = frameContents(
    packs,
    packs.map(() => ''),
    before,
  )
  const set = compressSet(texts, {
    scheme,
    tokenizer,
    glossary,
    code: texts.map(() => code),
    reserved,
  })
  if (!set || set.entries.length === 0) return plain
  const head = `${INSTRUCTION}${serializeRosetta(set)}\n\n${set.contents[0]!}`
  const paid = tokenizer.countTokens(
    head + frameContents(packs, set.contents.slice(1), [head, ...texts].join('\n')),
  )
  return isWorthHeader(plain, paid, worthHeader) ? paid : plain
}

/** Removes the lines that hold the entries of a prompt, in order, and its instruction. */
function dropHeaders(text: string, entries: readonly RosettaEntry[]): string {
  let found = 0
  return text.replace(/(?<![^\n])(Read .*\n)?(\[DECODE\] .*)\n\n/g, (lines, instruction, line: string) => {
    const own = readEntries(line)
    const expected = entries.slice(found, found + own.length)
    if (own.length === 0 || (instruction !== undefined && instruction !== INSTRUCTION)) return lines
    const isNext = own.every(({ term, expansion }, at) => {
      return expected[at]?.term === term && expected[at].expansion === expansion
    })
    if (!isNext) return lines
    found += own.length
    return ''
  })
}

/** Reads the entries of a line; none if it is no header. */
function readEntries(line: string): readonly RosettaEntry[] {
  try {
    return parseRosetta(line).entries
  } catch {
    return []
  }
}
