import { decode } from '../decode/decode.ts'
import { keepSource, minifySource, type MinifiedSource, resolveMinify } from '../minify/minify.ts'
import { createSourceOffsets } from '../minify/edited-text.ts'
import { DIALECTS, MINIFY_RULES, type MinifyOptions } from '../minify/types.ts'
import { MARKER } from '../rosetta/grammar.ts'
import { parseRosetta, serializeRosetta } from '../rosetta/parse-rosetta.ts'
import { getTokenizer, type Tokenizer } from '../tokens/get-tokenizer.ts'
import { suggestScheme } from '../scheme-names.ts'
import type { Scheme } from '../types.ts'
import { CompressError } from './compress-error.ts'
import { countSteps, type EncodedText, encodeText, type Encoding, noteNoTerm } from './encode-text.ts'
import { checkGlossary } from './candidates/check-glossary.ts'
import {
  checkWorthHeader,
  countFixedTokens,
  countMissingSavings,
  countNeededSavings,
  DEFAULT_WORTH_HEADER,
} from './cost/prompt-savings.ts'
import { prepareText, type PreparedText } from './prepare-text.ts'
import { SCHEME_PLANS } from './schemes.ts'
import { countUtf8Bytes } from '../tokens/utf8-buffer.ts'
import type { Compression, CompressOptions, GlossaryRule, WorthHeader } from './types.ts'

/** Largest source, in bytes of UTF-8. */
export const MAX_SOURCE_BYTES: number = 16 * 1024 * 1024

/** The `compress` of the entry, with a tokenizer that is loaded. Pure. */
export function compress(markdown: string, options: CompressOptions = {}): Compression {
  const resolved = resolveOptions(options)
  checkSize(markdown)
  return compressText(minifyFor(markdown, resolved), resolved)
}

/** Compresses a source that is minified already, with the same options. */
export function compressMinified(minified: MinifiedSource, options: CompressOptions): Compression {
  return compressText(minified, resolveOptions(options))
}

/** Minifies a source, unless the scheme is `none`. */
export function minifyFor(
  markdown: string,
  { scheme, minify, tokenizer }: Pick<ResolvedOptions, 'scheme' | 'minify' | 'tokenizer'>,
): MinifiedSource {
  return scheme === 'none' ? keepSource(markdown, tokenizer) : minifySource(markdown, minify, tokenizer)
}

/**
 * Runs the steps of docs/schemes.md on a minified text: {@link prepareText} 1 to 3,
 * {@link encodeText} 4 to 6, {@link verifyExact} 7.
 */
function compressText(minified: MinifiedSource, options: ResolvedOptions): Compression {
  const { scheme, tokenizer, glossary, code, minify, effort, worthHeader } = options
  const { text, links, patch, withdrawn, saved: edits } = minified
  const finish = (encoded: EncodedText): Compression => {
    const tokens = { ...encoded.tokens, source: minified.tokens.source }
    const terms = minified.tokens.text - tokens.content - tokens.rosetta
    const saved = encoded.entries.length === 0 ? edits : { ...edits, terms }
    return { ...encoded, tokens, text, links, patch, withdrawn, saved, minify }
  }
  if (scheme === 'none' || !text.isWellFormed()) return finish(keepText(minified, tokenizer, []))
  checkOnText(glossary, minified)
  if (SCHEME_PLANS[scheme].authorOnly && !glossary.some(({ term }) => term !== undefined)) {
    const notes = glossary.flatMap(({ expansion, never }, rule) =>
      never ? [] : [noteNoTerm(rule, expansion)],
    )
    return finish(keepText(minified, tokenizer, notes))
  }
  const mdx = minify.dialect.includes('mdx')
  const encoding = dropUnusedRules(glossary, (rules) =>
    encodeBest(prepareText(text, { scheme, tokenizer, glossary: rules, code, mdx }), effort),
  )
  const { content, rosetta, entries, notes } = encoding.compression
  if (entries.length === 0 || countMissingSavings(encoding.compression, tokenizer, worthHeader) > 0) {
    const kept = {
      ...keepText(minified, tokenizer, notes),
      optimality: certifyUncompressed(encoding, tokenizer, worthHeader),
    }
    return finish(kept)
  }
  verifyExact(content, rosetta, text, scheme)
  return finish(encoding.compression)
}

/** Checks a glossary on the text that models read. Places of its terms are those in the source. */
function checkOnText(glossary: readonly GlossaryRule[], { text, patch }: MinifiedSource): void {
  try {
    checkGlossary(glossary, text)
  } catch (error) {
    if (!(error instanceof CompressError) || error.rule === undefined) throw error
    const { code, message, hint, rule, offsets } = error
    throw new CompressError(code, message, hint, { rule, offsets: offsets.map(createSourceOffsets(patch)) })
  }
}

/**
 * Encodes with a glossary. If a rule's phrase did not become an entry, encodes again without that
 * rule and keeps the result if it is shorter, because an unused rule keeps its words from other
 * entries. That result is discarded if it gives the phrase or the term to another.
 */
function dropUnusedRules(
  glossary: readonly GlossaryRule[],
  encode: (rules: readonly GlossaryRule[]) => Encoding,
): Encoding {
  const first = encode(glossary)
  const unused = first.compression.notes.filter(({ code }) => code === 'pin_does_not_pay')
  if (unused.length === 0) return first
  const rules = new Set(unused.map(({ rule }) => rule))
  const kept = [...glossary.keys()].filter((rule) => !rules.has(rule))
  const again = encode(kept.map((rule) => glossary[rule]!))
  if (countTokens(again) >= countTokens(first)) return first
  const phrases = new Set(unused.map(({ rule }) => glossary[rule]!.expansion))
  const terms = new Set(unused.map(({ rule }) => glossary[rule]!.term))
  for (const [phrase, term] of again.terms) if (terms.has(term) || phrases.has(phrase)) return first
  const { compression } = again
  const notes = [...compression.notes.map((note) => ({ ...note, rule: kept[note.rule]! })), ...unused]
  notes.sort((a, b) => a.rule - b.rule)
  return { ...again, compression: { ...compression, notes } }
}

/** Under `best`, encodes with both step counts: letters may suit the fast one better. */
function encodeBest(prepared: PreparedText, effort: ResolvedOptions['effort']): Encoding {
  const encoding = encodeText(prepared, countSteps(prepared, effort))
  if (effort === 'fast') return encoding
  const quick = encodeText(prepared, countSteps(prepared, 'fast'))
  const bound = Math.min(encoding.bound, quick.bound)
  const best = countTokens(quick) < countTokens(encoding) ? quick : encoding
  const optimality = bound > 0 ? best.selection.value / bound : 1
  return { ...best, bound, compression: { ...best.compression, optimality } }
}

function countTokens({ compression: { tokens } }: Encoding): number {
  return tokens.content + tokens.rosetta
}

/** 1 if no dictionary can justify a header, else the value found ÷ the bound. */
function certifyUncompressed(
  { selection, bound, compression }: Encoding,
  tokenizer: Tokenizer,
  worth: WorthHeader,
): number {
  const needed = countFixedTokens(tokenizer) + countNeededSavings(compression.tokens.source, worth)
  return bound < needed ? 1 : selection.value / bound
}

export type ResolvedOptions = Required<Omit<CompressOptions, 'tokenizer' | 'minify'>> & {
  readonly tokenizer: Tokenizer
  readonly minify: Required<MinifyOptions>
}

export function resolveOptions(options: CompressOptions): ResolvedOptions {
  const {
    scheme = 'minify-1',
    tokenizer = 'o200k_base',
    glossary = [],
    code = true,
    minify = {},
    effort = 'fast',
    worthHeader = DEFAULT_WORTH_HEADER,
  } = options
  checkWorthHeader(worthHeader)
  for (const [key, names] of [['dialect', DIALECTS] as const, ['off', MINIFY_RULES] as const]) {
    const wrong = [minify[key] ?? []].flat().find((name) => !(names as readonly string[]).includes(name))
    if (wrong === undefined) continue
    const shown = `Unknown name in minify.${key}: ${JSON.stringify(String(wrong).slice(0, 80))}`
    throw new CompressError('invalid_option', shown, `Use ${names.join(', ')}.`)
  }
  if (scheme !== 'none' && !Object.hasOwn(SCHEME_PLANS, scheme)) {
    const shown = JSON.stringify(String(scheme).slice(0, 80))
    throw new CompressError('invalid_scheme', `Unknown scheme: ${shown}`, suggestScheme(String(scheme)))
  }
  return {
    scheme,
    tokenizer: getTokenizer(tokenizer),
    glossary,
    code,
    minify: resolveMinify(minify),
    effort,
    worthHeader,
  }
}

function checkSize(markdown: string): void {
  if (markdown.length <= MAX_SOURCE_BYTES && countUtf8Bytes(markdown) <= MAX_SOURCE_BYTES) return
  const problem = `Source is larger than ${MAX_SOURCE_BYTES} bytes of UTF-8`
  throw new CompressError('source_too_large', problem, 'Split it into several sources.')
}

/** Throws unless a canonical header decodes `content` to `markdown`. */
function verifyExact(content: string, rosetta: string, markdown: string, scheme: Scheme): void {
  const parsed = parseRosetta(rosetta)
  if (serializeRosetta(parsed) === rosetta && decode(content, parsed) === markdown) return
  throw new Error(
    `${scheme} gave content that does not decode to its source. Please report it with the source.`,
  )
}

/** The text itself: minified if edits were made, else the source. */
function keepText(
  { text, patch, tokens }: MinifiedSource,
  tokenizer: Tokenizer,
  notes: Compression['notes'],
): EncodedText {
  return {
    scheme: patch.length > 0 ? 'minify-1' : 'none',
    tokenizer: tokenizer.name,
    content: text,
    rosetta: MARKER,
    entries: [],
    tokens: { source: tokens.source, content: tokens.text, rosetta: 0 },
    optimality: 1,
    notes,
  }
}
