import type { TermScript } from '../rosetta/term-scripts.ts'
import type { Tokenizer } from '../tokens/types.ts'
import type { RosettaEntry, Scheme } from '../types.ts'
import { countSteps, encodeText } from './encode-text.ts'
import { prepareText } from './prepare-text.ts'
import { chooseSeparator } from './text/join-texts.ts'
import type { GlossaryRule } from './types.ts'

export interface SetOptions {
  readonly scheme: Exclude<Scheme, 'none'>
  readonly tokenizer: Tokenizer
  readonly glossary: readonly GlossaryRule[]
  /** For each text, whether `glossary-1` may also replace in its code. */
  readonly code: readonly boolean[]
  /** Further text in which no term may occur. */
  readonly reserved: string
  /** The scripts that give no terms; those of the texts if absent. */
  readonly ownScripts?: ReadonlySet<TermScript>
}

/** Contents that one header decodes. */
export interface CompressedSet {
  readonly contents: readonly string[]
  readonly entries: readonly RosettaEntry[]
}

/**
 * Compresses texts that are always read together, with one header, whose entries are paid once for all. No phrase
 * crosses from one text to the next. Returns undefined if no character can separate the texts.
 *
 * @param texts Well-formed.
 */
export function compressSet(
  texts: readonly string[],
  { scheme, tokenizer, glossary, code, reserved, ownScripts }: SetOptions,
): CompressedSet | undefined {
  // A verbatim region is part of the text that no term may occur in, and stays as it is.
  const parts = reserved === '' ? texts : [...texts, `<!-- pack:verbatim -->\n${reserved}\n<!-- /pack -->\n`]
  const named = glossary.flatMap(({ expansion, term = '' }) => [expansion, term])
  const separator = chooseSeparator([...parts, ...named])
  if (separator === undefined) return undefined
  const prepared = prepareText(parts.join(separator), {
    scheme,
    tokenizer,
    glossary,
    code: code.every(Boolean),
    codeByPart: [...code, false],
    separator,
    ownScripts,
  })
  const { content, entries } = encodeText(prepared, countSteps(prepared, 'fast')).compression
  return {
    contents: content.split(separator).slice(0, texts.length),
    entries: entries.map(({ term, expansion }) => ({ term, expansion })),
  }
}
