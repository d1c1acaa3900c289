import { checkOptions, CompressError, type CompressErrorCode } from '../compress/compress-error.ts'
import { MAX_SOURCE_BYTES } from '../compress/compress.ts'
import { countUtf8Bytes } from '../tokens/utf8-buffer.ts'
import { decode } from '../decode/decode.ts'
import { CodecError } from '../errors.ts'
import { findLinksFault, findPatchFault } from '../minify/types.ts'
import { restore } from '../minify/restore-text.ts'
import { tokenizerNames, type TokenizerName } from '../tokens/get-tokenizer.ts'
import { findScheme, SCHEME_NAMES } from '../scheme-names.ts'
import type { Scheme } from '../types.ts'
import type { PromptDocument, PromptNote, ComposeOptions } from './types.ts'
import { checkWorthHeader } from '../compress/cost/prompt-savings.ts'
import { checkGlossary, listRuleErrors } from '../compress/candidates/check-glossary.ts'
import type { GlossaryRule } from '../compress/types.ts'

/**
 * Decodes the texts of packs.
 * @param isPartEnough Return the first texts if all would be too large.
 * @param isSource Restore the sources of packs that have a patch.
 * @throws {CompressError} `undecodable_pack`, `source_too_large`, with the pack
 */
export function readBodies(
  packs: readonly PromptDocument[],
  isPartEnough: boolean,
  isSource: boolean,
): string[] {
  const bodies: string[] = []
  let bytes = 0
  for (const [index, pack] of packs.entries()) {
    const body = readBody(pack, index, MAX_SOURCE_BYTES - bytes, isSource)
    bytes += body === undefined ? Infinity : countUtf8Bytes(body)
    if (bytes <= MAX_SOURCE_BYTES) bodies.push(body!)
    else if (isPartEnough && index > 0) return bodies
    else throw tooLargeError(index, pack)
  }
  return bodies
}

function undecodableError(
  index: number,
  pack: Partial<PromptDocument> | undefined,
  reason: string,
  cause?: CodecError,
): CompressError {
  const message = `Cannot decode ${namePack(index, pack)}: ${reason}`
  return packError('undecodable_pack', index, pack, message, 'Download the pack or build it again.', cause)
}

function packError(
  code: CompressErrorCode,
  index: number,
  pack: Partial<PromptDocument> | undefined,
  message: string,
  hint: string,
  cause?: CodecError,
): CompressError {
  const slug = typeof pack?.slug === 'string' ? pack.slug : undefined
  return new CompressError(code, message, hint, { pack: { index, slug }, cause })
}

/** Returns the body of a pack, or undefined if it has more than `most` UTF-16 units. */
function readBody(pack: PromptDocument, index: number, most: number, isSource: boolean): string | undefined {
  try {
    const { rosetta = '[DECODE]', patch } = pack
    if (isSource && patch !== undefined) return restore({ ...pack, rosetta }, { maxOutput: most })
    return decode(pack.content, rosetta, { maxOutput: most })
  } catch (error) {
    if (!(error instanceof CodecError)) throw error
    if (error.code === 'output_too_large') return undefined
    const { code, message, offset, hint } = error
    if (code === 'invalid_patch') throw undecodableError(index, pack, 'its patch is not valid', error)
    const place = offset === undefined ? '' : ` at offset ${offset}`
    throw undecodableError(index, pack, `its rosetta is not valid: ${message}${place} (${hint})`, error)
  }
}

/** Rejects a set before decoding if the contents without terms, their sources, are too large. */
function checkPlainSizes(packs: readonly PromptDocument[]): void {
  let units = 0
  for (const [index, pack] of packs.entries()) {
    if ((pack.rosetta ?? '[DECODE]') === '[DECODE]') units += pack.content.length
    if (units > MAX_SOURCE_BYTES) throw tooLargeError(index, pack)
  }
}

function tooLargeError(index: number, pack: PromptDocument): CompressError {
  const message = `With ${namePack(index, pack)} the sources have over ${MAX_SOURCE_BYTES} bytes of UTF-8`
  return packError('source_too_large', index, pack, message, 'Pass fewer packs at once.')
}

export function namePack(index: number, pack: Partial<PromptDocument> | undefined): string {
  const slug = pack?.slug
  return typeof slug === 'string' ? `pack ${index + 1} (${slug.slice(0, 100)})` : `pack ${index + 1}`
}

/**
 * Returns the tokenizer that the packs state.
 * @throws {CompressError} `mixed_tokenizers`, with the first pack that differs; `invalid_pack` for
 *   an unknown one
 */
export function agreeOnTokenizer(packs: readonly PromptDocument[]): TokenizerName {
  const unknown = packs.findIndex(
    ({ tokenizer }) => (tokenizer ?? undefined) !== undefined && !tokenizerNames.includes(tokenizer!),
  )
  if (unknown >= 0) {
    const found = String(packs[unknown]!.tokenizer).slice(0, 80)
    const message = `Cannot use ${namePack(unknown, packs[unknown])}: it states the unknown tokenizer ${found}`
    throw packError('invalid_pack', unknown, packs[unknown], message, NAME_TOKENIZER)
  }
  // In JSON the value may be null.
  const first = packs.findIndex(({ tokenizer }) => (tokenizer ?? undefined) !== undefined)
  const name = packs[first]?.tokenizer ?? 'o200k_base'
  const index = packs.findIndex(({ tokenizer }) => (tokenizer ?? name) !== name)
  if (index < 0) return name
  const pack = packs[index]!
  const message = `Packs count in different tokenizers: ${namePack(first, packs[first])} in ${name}, ${namePack(index, pack)} in ${pack.tokenizer}`
  throw packError('mixed_tokenizers', index, pack, message, NAME_TOKENIZER)
}

const NAME_TOKENIZER = 'Set the option tokenizer to the tokenizer of your model.'

/** Returns the densest scheme of the packs; `minify-1` if they state none. */
export function findDensestScheme(packs: readonly PromptDocument[]): Scheme {
  const used = new Set(packs.map(({ compression = 'none' }) => findScheme(compression)))
  const densest = SCHEME_NAMES.findLast((scheme) => used.has(scheme)) ?? 'none'
  return densest === 'none' ? 'minify-1' : densest
}

/** Notes the packs that have the text of an earlier one. */
export function noteDuplicates(packs: readonly PromptDocument[], bodies: readonly string[]): PromptNote[] {
  const known = new Map<string, number>()
  const notes: PromptNote[] = []
  for (const [index, body] of bodies.entries()) {
    const first = known.get(body)
    if (first === undefined) known.set(body, index)
    else if (body !== '') {
      notes.push({
        code: 'duplicate_pack',
        pack: index,
        message: `Same text as ${namePack(first, packs[first])}`,
      })
    }
  }
  return notes
}

/**
 * The scheme, tokenizer and rules of the options are checked where they are used.
 * @throws {CompressError} `invalid_pack`, `undecodable_pack`, `source_too_large` with the pack;
 *   `invalid_option`
 */
export function checkInput(packs: readonly PromptDocument[], options: ComposeOptions): void {
  const isList: boolean = Array.isArray(packs)
  if (!isList) {
    throw new CompressError('invalid_pack', 'The packs are not a list', 'Pass a list, even for one pack.')
  }
  const index = packs.findIndex(
    (pack) => typeof pack?.content !== 'string' || typeof (pack.rosetta ?? '') !== 'string',
  )
  if (index >= 0) throw undecodableError(index, packs[index], 'it has no content or no rosetta')
  for (const [index, pack] of packs.entries()) {
    for (const field of ['title', 'slug', 'format', 'url'] as const) {
      if (!['string', 'undefined'].includes(typeof (pack[field] ?? undefined)))
        throw invalidPackError(index, pack, `its ${field} is not a string`)
    }
    if (pack.glossary !== undefined && !isGlossary(pack.glossary))
      throw invalidPackError(index, pack, 'its glossary is not a list of rules with an expansion')
    const { links, patch } = pack
    if (links !== undefined && (typeof links !== 'object' || findLinksFault(Object.values(links ?? [0]))))
      throw invalidPackError(index, pack, 'its links are not addresses by number')
    if (patch !== undefined && findPatchFault(patch) !== undefined)
      throw invalidPackError(index, pack, 'its patch is not a list of rows')
  }
  const known = ['scheme', 'worthHeader', 'tokenizer', 'budget', 'fit', 'glossary', 'code', 'links']
  checkOptions(options, known)
  const { budget, fit, glossary, worthHeader, links } = options
  if (links !== undefined && !['number', 'inline', 'drop'].includes(links))
    throw invalidOptionError('links', links, 'Omit it, or use number, inline or drop.')
  if (worthHeader !== undefined) checkWorthHeader(worthHeader)
  if (budget !== undefined && !(Number.isSafeInteger(Number(budget)) && Number(budget) >= 0)) {
    throw invalidOptionError('budget', budget, 'Pass a whole number of tokens, 0 or more.')
  }
  if (fit !== undefined && fit !== 'first') throw invalidOptionError('fit', fit, 'Omit it, or use first.')
  if (glossary !== undefined && !isGlossary(glossary)) {
    throw invalidOptionError('glossary', glossary, 'Pass a list of rules with an expansion.')
  }
  if (fit === undefined || budget === undefined) checkPlainSizes(packs)
}

function invalidPackError(index: number, pack: Partial<PromptDocument>, reason: string): CompressError {
  const message = `Cannot use ${namePack(index, pack)}: ${reason}`
  return packError('invalid_pack', index, pack, message, 'Fix that field, or omit it.')
}

function invalidOptionError(name: keyof ComposeOptions, value: unknown, hint: string): CompressError {
  return new CompressError(
    'invalid_option',
    `The option ${name} cannot be ${String(value).slice(0, 80)} (${typeof value})`,
    hint,
  )
}

function isGlossary(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.every((rule: { expansion?: unknown } | null | undefined) => typeof rule?.expansion === 'string')
  )
}

/** The rules that one header follows, and notes on those it cannot follow. */
export interface JoinedGlossary {
  readonly rules: readonly GlossaryRule[]
  readonly notes: readonly PromptNote[]
}

/**
 * Joins the glossary of the options with those of the packs. A phrase that any of them says is
 * never replaced is kept. A rule with a term is skipped, with a note, if it contradicts an earlier
 * rule or if its term occurs in one of the texts.
 * @param own the rules of the options
 * @param texts the bodies of the packs
 * @param reserved further text in which no term may occur
 * @throws {CompressError} `invalid_glossary` for the rules of the options
 */
export function joinGlossaries(
  own: readonly GlossaryRule[],
  packs: readonly PromptDocument[],
  texts: readonly string[],
  reserved: string,
): JoinedGlossary {
  checkGlossary(own, '')
  const glossaries = [own, ...packs.map(({ glossary = [] }) => glossary)]
  if (glossaries.every(({ length }) => length === 0)) return { rules: [], notes: [] }
  // Phrases that are never replaced come first, so that they take precedence.
  const { rules, owners, clashes } = mergeGlossaries([
    ...glossaries.map((list) =>
      list.flatMap(({ expansion, never }) => (never ? [{ expansion, never }] : [])),
    ),
    ...glossaries.map((list) => list.filter(({ expansion, never }) => !never && expansion !== '')),
  ])
  const notes: PromptNote[] = []
  const leaveOut = (owner: RuleOwner, reason: string, other: number): void => {
    // The rules of the options are the first list, those of each pack follow.
    const pack = (owner.glossary % glossaries.length) - 1
    const whose = pack < 0 ? 'the options' : namePack(pack, packs[pack])
    const message = `Glossary rule of ${whose} skipped: ${reason}`
    notes.push({ code: 'pin_clashes', pack: pack < 0 ? other : pack, message })
  }
  for (const { first, second, reason } of clashes)
    leaveOut(second, reason, Math.max(0, (first.glossary % glossaries.length) - 1))
  const errors = listRuleErrors(rules, [...texts, reserved].join('\n'))
  const kept = rules.filter((_, rule) => {
    const error = errors[rule]
    if (error !== undefined) leaveOut(owners[rule]!, error.message, findText(error.offsets[0] ?? 0, texts))
    return error === undefined
  })
  return { rules: kept, notes }
}

/** Index of the text at an offset of all texts joined by line ends; at most the last. */
function findText(offset: number, texts: readonly string[]): number {
  let end = 0
  const found = texts.findIndex(({ length }) => offset < (end += length + 1))
  return found < 0 ? texts.length - 1 : found
}

interface RuleOwner {
  readonly glossary: number
  readonly rule: number
}

/** Two rules that one header cannot both follow, in the order of the glossaries. */
interface GlossaryClash {
  readonly first: RuleOwner
  readonly second: RuleOwner
  readonly reason: string
}

interface MergedGlossary {
  readonly rules: readonly GlossaryRule[]
  readonly owners: readonly RuleOwner[]
  readonly clashes: readonly GlossaryClash[]
}

/** Merges glossaries. A phrase without a term takes the term that another glossary gives it. */
function mergeGlossaries(glossaries: readonly (readonly GlossaryRule[])[]): MergedGlossary {
  const rules: GlossaryRule[] = []
  const owners: RuleOwner[] = []
  const clashes: GlossaryClash[] = []
  const places = new Map<string, number>()
  const indexOfTerm = new Map<string, number>()
  for (const [glossary, list] of glossaries.entries()) {
    for (const [rule, value] of list.entries()) {
      const second = { glossary, rule }
      const known = places.get(value.expansion)
      const namesake = value.term === undefined ? undefined : indexOfTerm.get(value.term)
      const reason = known === undefined ? undefined : findContradiction(rules[known]!, value)
      if (reason !== undefined) clashes.push({ first: owners[known!]!, second, reason })
      else if (namesake !== undefined && namesake !== known) {
        const phrases = `${quote(rules[namesake]!.expansion)} and ${quote(value.expansion)}`
        const twice = `One term stands for two phrases, ${phrases}: ${quote(value.term!)}`
        clashes.push({ first: owners[namesake]!, second, reason: twice })
      } else {
        const place = known ?? rules.length
        places.set(value.expansion, place)
        if (value.term !== undefined) indexOfTerm.set(value.term, place)
        if (known !== undefined && (value.term === undefined || rules[known]!.term !== undefined)) continue
        rules[place] = value
        owners[place] = second
      }
    }
  }
  return { rules, owners, clashes }
}

function findContradiction(one: GlossaryRule, other: GlossaryRule): string | undefined {
  const phrase = quote(other.expansion)
  if ((one.never ?? false) !== (other.never ?? false))
    return `One phrase is both replaced and never replaced: ${phrase}`
  if (one.term === undefined || other.term === undefined || one.term === other.term) return undefined
  return `One phrase has two terms, ${quote(one.term)} and ${quote(other.term)}: ${phrase}`
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 80))
}
