import { DEFAULT_WORTH_HEADER } from '../compress/cost/prompt-savings.ts'
import type {
  Compression,
  WorthHeader,
  CompressOptions,
  GlossaryNote,
  GlossaryRule,
} from '../compress/types.ts'
import type { Pack } from '../pack/pack-schema.ts'
import type { Source, SourceMessage } from '../source/types.ts'
import { getTokenizer, type TokenizerName, type Tokenizer } from '../tokens/get-tokenizer.ts'
import type { Scheme } from '../types.ts'
import { createDiagnostics, type BuildRule, type Diagnostics } from './diagnostics.ts'
import { listRuleErrors } from '../compress/candidates/check-glossary.ts'
import { compressMinified, minifyFor } from '../compress/compress.ts'
import { CompressError } from '../compress/compress-error.ts'
import { type MinifiedSource, resolveMinify } from '../minify/minify.ts'
import { createSourceOffsets } from '../minify/edited-text.ts'
import type { MinifyOptions } from '../minify/types.ts'
import { createPositionFinder } from '../source/messages.ts'
import { derivePackId, digestRows, digestText, sealPack } from '../pack/digests.ts'
import { computeSavingsPercent } from '../pack/pack-fields.ts'
import { cutPreview } from '../preview/cut-preview.ts'
import { findOwnScripts } from '../rosetta/term-scripts.ts'
import { PhraseFinder } from '../compress/text/phrase-finder.ts'
import { fieldLimits, MAX_GLOSSARY, MAX_RULES, URL_PATTERN } from '../pack/field-limits.ts'
import { countJsonBytes } from '../pack/canonical-json.ts'

/** Options that override the source's front matter. */
export interface BuildOptions {
  readonly scheme?: Scheme | undefined
  readonly tokenizer?: TokenizerName | undefined
  readonly code?: boolean | undefined
  /** Maximum tokens of the pack, header included. */
  readonly budget?: number | undefined
  /** Below this saving a pack has no header. @default { percent: 2, tokens: 40 } */
  readonly worthHeader?: WorthHeader | undefined
  readonly effort?: 'fast' | 'best' | undefined
  /** Dialects of the text and rules of minify that are off; a path `.mdx` is of MDX. */
  readonly minify?: MinifyOptions | undefined
  /** URL of the page, which completes the relative addresses of the pack. */
  readonly url?: string | undefined
}

/** A pack and how it was compressed. Both are absent if a message says why there is no pack. */
export interface BuildResult {
  readonly pack?: Pack
  readonly compression?: Compression
  readonly messages: readonly SourceMessage[]
}

/**
 * Builds the pack of a source as `buildPack` does, at once; its tokenizer must be loaded.
 * @throws TokenError `tokenizer_not_loaded`, `unknown_tokenizer`
 */
export function buildPackSync(parsed: Source, options: BuildOptions = {}): BuildResult {
  const tokenizer = getTokenizer(options.tokenizer ?? parsed.tokenizer)
  const scheme = options.scheme ?? parsed.compression
  const diagnostics = createDiagnostics(parsed)
  const minify = chooseMinify(parsed, options.minify)
  const minified = minifyFor(parsed.body, { scheme, minify, tokenizer })
  const source = dropUsedTerms(parsed, minified.text, diagnostics)
  const code = options.code ?? source.code
  const worthHeader = options.worthHeader ?? source.worthHeader ?? DEFAULT_WORTH_HEADER
  const compression = compressSource(
    source,
    minified,
    {
      scheme,
      tokenizer: tokenizer.name,
      glossary: source.glossary,
      code,
      minify,
      effort: options.effort ?? 'fast',
      worthHeader,
    },
    diagnostics,
  )
  if (compression === undefined) return { messages: diagnostics.list() }
  const pack = finishPack(
    source,
    compression,
    { scheme, tokenizer, code, budget: options.budget, worthHeader, url: options.url ?? source.url },
    diagnostics,
  )
  return { pack, compression, messages: diagnostics.list() }
}

/** Compresses a source and reports on its glossary; undefined if that is not possible. */
function compressSource(
  source: Source,
  minified: MinifiedSource,
  options: CompressOptions,
  diagnostics: Diagnostics,
): Compression | undefined {
  try {
    const compression = compressMinified(minified, options)
    for (const note of compression.notes) reportNote(note, source, diagnostics)
    return compression
  } catch (error) {
    if (!(error instanceof CompressError)) throw error
    if (error.code === 'invalid_scheme') {
      diagnostics.report(
        'unsupported-scheme',
        diagnostics.findPosition('compression'),
        error.message,
        error.hint,
      )
    } else if (error.rule === undefined) throw error
    else reportGlossaryErrors(source, minified, options.glossary ?? [], error, diagnostics)
    return undefined
  }
}

function chooseMinify({ path, minify }: Source, given: MinifyOptions = {}): Required<MinifyOptions> {
  const { dialect = [], off = [] } = { ...minify, ...given }
  return resolveMinify({ dialect: /\.mdx$/i.test(path) ? [...dialect, 'mdx'] : dialect, off })
}

/** Reports the result of a glossary rule, unless it is a default rule for many files. */
function reportNote({ code, rule, message }: GlossaryNote, source: Source, diagnostics: Diagnostics): void {
  if (rule >= countOwnRules(source)) return
  const [name, hint] = NOTES[code]
  diagnostics.report(name, diagnostics.findPosition(`glossary.${rule}.expansion`), message, hint)
}

const NOTES: Readonly<
  Record<Compression['notes'][number]['code'], readonly [rule: BuildRule, hint: string]>
> = {
  pin_not_found: ['pin-not-found', 'Write the phrase as it occurs in the text, capitals included.'],
  pin_does_not_pay: [
    'pin-does-not-pay',
    'Nothing to do; the phrase is too short or too rare, or other entries save more.',
  ],
  pin_excluded: ['pin-excluded', 'Nothing to do, unless the phrase should be replaced: then give it a term.'],
}

/** Reports the errors of all rules, because the compressor stops at the first one. */
function reportGlossaryErrors(
  source: Source,
  { text, patch }: MinifiedSource,
  glossary: readonly GlossaryRule[],
  first: CompressError,
  diagnostics: Diagnostics,
): void {
  const findPlace = createSourceOffsets(patch)
  for (const [rule, found] of listRuleErrors(glossary, text).entries()) {
    const error = rule === first.rule ? first : found
    if (error === undefined) continue
    const places = error === first ? first.offsets : error.offsets.map(findPlace)
    const position = diagnostics.findPosition(`glossary.${rule}.term`, `glossary.${rule}`)
    if (error.code !== 'term_collision') {
      diagnostics.report('glossary-invalid', position, error.message, error.hint)
      continue
    }
    // Each line of the body that has a term which the front matter defines.
    const message = `${error.message} (glossary, line ${position.line})`
    const positionAt = createPositionFinder(source.body)
    let last = 0
    for (const { line, column } of places.map((offset) => positionAt(offset))) {
      const place = { line: source.bodyLine + line - 1, column }
      if (line !== last) diagnostics.report('glossary-collision', place, message, error.hint)
      last = line
    }
  }
}

/** The resolved options of a pack. */
interface PackOptions {
  readonly scheme: Scheme
  readonly tokenizer: Tokenizer
  /** Whether code may have entries. */
  readonly code: boolean
  /** Overrides the budget of the source. */
  readonly budget: number | undefined
  readonly worthHeader: WorthHeader
  readonly url: string | undefined
}

/** Creates the pack of a compressed source, and reports what its token counts show. */
function finishPack(
  source: Source,
  compression: Compression,
  { scheme, tokenizer, code, budget, worthHeader, url }: PackOptions,
  diagnostics: Diagnostics,
): Pack {
  if (source.body === '') {
    diagnostics.report(
      'empty-body',
      { line: source.bodyLine, column: 1 },
      'The source has no body',
      'Write some text.',
    )
  }
  const glossary = choosePackRules(source, compression.text, diagnostics)
  const pack = createPack({ ...source, glossary, code }, compression, tokenizer, url)
  const isDense = scheme !== 'none' && scheme !== 'minify-1'
  if (compression.scheme !== scheme && isDense && source.body !== '') {
    const [reason, hint] = explainNone(source.body, scheme, worthHeader)
    const position = diagnostics.findPosition('compression')
    diagnostics.report('no-terms', position, `No terms are used: ${reason}`, hint)
  }
  if (compression.withdrawn > 0) {
    diagnostics.report(
      'edits-withdrawn',
      { line: source.bodyLine, column: 1 },
      `${compression.withdrawn} edits of minify-1 were not made, because the text would have read differently`,
      'Nothing to do.',
    )
  }
  reportBudget(pack, budget ?? source.budget, diagnostics)
  return pack
}

/** Han, kana, Hangul and Thai. */
const SCRIPTS = 4

function explainNone(
  body: string,
  scheme: Scheme,
  { percent, tokens }: WorthHeader,
): [reason: string, hint: string] {
  if (findOwnScripts([body]).size === SCRIPTS)
    return [
      `the text is written in all scripts whose letters ${scheme} could use`,
      'Choose minify-1 or none.',
    ]
  const limits = [percent > 0 ? `${percent} %` : '', tokens > 1 ? `${tokens} tokens` : '']
  const limit = limits.filter(Boolean).join(' and ') || 'a token'
  const hint = `Join small documents${scheme === 'max-2' ? '' : ', or choose a denser scheme'}.`
  return [`no ${scheme} header would save ${limit} after its own cost and the cost of the instruction`, hint]
}

function createPack(
  source: Source,
  { scheme, content, rosetta, entries, text, links, patch, minify }: Compression,
  tokenizer: Tokenizer,
  url: string | undefined,
): Pack {
  const { body } = source
  const paid = tokenizer.countTokens(content)
  const full = scheme === 'none' ? paid : tokenizer.countTokens(body)
  const header = entries.length === 0 ? 0 : tokenizer.countTokens(rosetta)
  const preview = cutPreview({ content, rosetta, body: text, tokenizer })
  const href = url !== undefined && URL.canParse(url) ? new URL(url).href : ''
  const isUsed = scheme !== 'none' && URL_PATTERN.test(href) && href.length <= fieldLimits.url
  const page = isUsed ? href : undefined
  return sealPack({
    format: 'packs/2',
    id: derivePackId(source.slug),
    slug: source.slug,
    title: source.title,
    domain: source.domain,
    domain_slug: source.domainSlug,
    subdomain: source.subdomain,
    version: source.version ?? '0.0.0',
    difficulty: source.difficulty,
    ...(source.description === undefined ? {} : { description: source.description }),
    ...(page === undefined ? {} : { url: page }),
    ...(source.tags === undefined ? {} : { tags: source.tags }),
    ...(source.metadata === undefined ? {} : { metadata: source.metadata }),
    ...(source.glossary.length === 0 ? {} : { glossary: source.glossary }),
    ...(source.code ? {} : { code: false }),
    compression: scheme,
    tokenizer: tokenizer.name,
    token_count: paid,
    uncompressed_estimate: full,
    savings_pct: computeSavingsPercent(paid, full),
    rosetta_tokens: header,
    net_savings_pct: computeSavingsPercent(paid + header, full),
    sha256: digestText(body),
    ...(scheme !== 'none' && {
      minify,
      text_sha256: digestText(text),
      links_sha256: digestRows(links),
      patch_sha256: digestRows(patch),
      links,
      patch,
    }),
    preview_tokens: preview.tokens,
    preview_content: preview.content,
    ...(source.frontMatter === undefined ? {} : { front_matter: source.frontMatter }),
    rosetta,
    content,
  })
}

function reportBudget(pack: Pack, budget: number | undefined, diagnostics: Diagnostics): void {
  const needed = pack.token_count + pack.rosetta_tokens
  if (budget === undefined || needed <= budget) return
  const reason = `The pack takes ${needed} tokens, header included; the budget is ${budget}`
  const hint = 'Shorten the text, split it, choose a denser scheme, or raise the budget.'
  diagnostics.report('over-budget', diagnostics.findPosition('budget'), reason, hint)
}

/** Number of rules that the file itself has; the others are defaults, for many files at once. */
function countOwnRules({ glossary, defaults }: Source): number {
  return glossary.length - (defaults?.glossary?.length ?? 0)
}

/** Drops default rules whose term the text has: a glossary for many files cannot fit each. */
function dropUsedTerms(source: Source, text: string, diagnostics: Diagnostics): Source {
  const own = countOwnRules(source)
  const rules = source.glossary.slice(own)
  const errors = rules.length > 0 ? listRuleErrors(rules, text) : []
  const kept = rules.filter((_, index) => errors[index]?.code !== 'term_collision')
  if (kept.length === rules.length) return source
  const terms = rules.filter((rule) => !kept.includes(rule)).map(({ term }) => JSON.stringify(term))
  const more = terms.length > 10 ? ` and ${terms.length - 10} more` : ''
  diagnostics.report(
    'glossary-left-out',
    { line: 1, column: 1 },
    `Terms of the defaults glossary that the text has already are not used: ${terms.slice(0, 10).join(', ')}${more}`,
    'Nothing to do, unless the glossary should have other terms.',
  )
  const glossary = [...source.glossary.slice(0, own), ...kept]
  return { ...source, glossary, defaults: { ...source.defaults, glossary: kept } }
}

/** Rules of the file and defaults whose phrase its text has; none, with an info, if too large. */
function choosePackRules(source: Source, text: string, diagnostics: Diagnostics): GlossaryRule[] {
  const own = countOwnRules(source)
  const defaults = source.glossary.slice(own)
  const found = new Set<number>()
  if (defaults.length > 0) {
    const finder = new PhraseFinder(defaults.map(({ expansion }) => expansion))
    finder.visit(text, (index) => found.add(index))
  }
  const rules = [...source.glossary.slice(0, own), ...defaults.filter((_, index) => found.has(index))].map(
    ({ expansion, term, never }): GlossaryRule => ({
      expansion,
      ...(term === undefined ? {} : { term }),
      ...(never === true ? { never } : {}),
    }),
  )
  if (rules.length <= MAX_RULES && countJsonBytes(rules) <= MAX_GLOSSARY) return rules
  diagnostics.report(
    'glossary-left-out',
    diagnostics.findPosition('glossary'),
    `The glossary has over ${MAX_RULES} rules or ${MAX_GLOSSARY} bytes, so the pack does not carry it`,
    'Nothing to do, unless the pack is composed with others: then shorten the glossary.',
  )
  return []
}
