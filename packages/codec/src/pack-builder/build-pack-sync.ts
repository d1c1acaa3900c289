import type { VFileMessage } from 'vfile-message'
import { DEFAULT_WORTH_HEADER } from '../compress/cost/prompt-savings.ts'
import type {
  Compression,
  WorthHeader,
  CompressOptions,
  GlossaryNote,
  GlossaryRule,
} from '../compress/types.ts'
import type { Pack } from '../pack/pack-schema.ts'
import type { Source } from '../source/types.ts'
import { getTokenizer } from '../tokens/get-tokenizer.ts'
import type { TokenizerName } from '../tokens/types.ts'
import type { Scheme } from '../types.ts'
import { createDiagnostics, type BuildRule, type Diagnostics } from './diagnostics.ts'
import { finishPack } from './finish-pack.ts'
import { dropUsedTerms, countOwnRules } from './default-rules.ts'
import { listRuleErrors } from '../compress/candidates/check-glossary.ts'
import { compress } from '../compress/compress.ts'
import { CompressError } from '../compress/compress-error.ts'
import { lintGlossary } from '../compress/lint-glossary.ts'
import { createPositionFinder } from '../source/messages.ts'

/** Options that override the source's front matter. */
export interface BuildOptions {
  readonly scheme?: Scheme | undefined
  readonly tokenizer?: TokenizerName | undefined
  readonly code?: boolean | undefined
  /** Maximum tokens of the pack, header included. */
  readonly budget?: number | undefined
  /** Below this saving a pack is its source. @default { percent: 2, tokens: 40 } */
  readonly worthHeader?: WorthHeader | undefined
  /** @default 'fast' */
  readonly effort?: 'fast' | 'best' | undefined
}

/** A pack and how it was compressed. Both are absent if a message says why there is no pack. */
export interface BuildResult {
  readonly pack?: Pack
  readonly compression?: Compression
  readonly messages: readonly VFileMessage[]
}

/**
 * Builds the pack of a source as `buildPack` does, in one synchronous step. Its tokenizer
 * must be loaded.
 *
 * @throws TokenError `tokenizer_not_loaded`, `unknown_tokenizer`
 * @example
 * await loadTokenizer(source.tokenizer)
 * const { pack, messages } = buildPackSync(source)
 */
export function buildPackSync(parsed: Source, options: BuildOptions = {}): BuildResult {
  const tokenizer = getTokenizer(options.tokenizer ?? parsed.tokenizer)
  const scheme = options.scheme ?? parsed.compression
  const diagnostics = createDiagnostics(parsed)
  const source = dropUsedTerms(parsed, diagnostics)
  const code = options.code ?? source.code
  const worthHeader = options.worthHeader ?? source.worthHeader ?? DEFAULT_WORTH_HEADER
  const compression = compressSource(
    source,
    {
      scheme,
      tokenizer: tokenizer.name,
      glossary: source.glossary,
      code,
      mdx: isMdx(source),
      effort: options.effort ?? 'fast',
      worthHeader,
    },
    diagnostics,
  )
  if (compression === undefined) return { messages: diagnostics.list() }
  const pack = finishPack(
    source,
    compression,
    { scheme, tokenizer, code, budget: options.budget, worthHeader },
    diagnostics,
  )
  return { pack, compression, messages: diagnostics.list() }
}

/**
 * Compresses the body of a source and reports the results of its glossary; undefined if the body
 * cannot be compressed.
 */
function compressSource(
  source: Source,
  options: CompressOptions,
  diagnostics: Diagnostics,
): Compression | undefined {
  try {
    const compression = compress(source.body, options)
    for (const note of compression.notes) reportNote(note, source, diagnostics)
    reportReadability(source, compression, options.scheme ?? 'glossary-1', diagnostics)
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
    else reportGlossaryErrors(source, options.glossary ?? [], error, diagnostics)
    return undefined
  }
}

/** Whether the body of a source is MDX. */
function isMdx({ path }: Source): boolean {
  return /\.mdx$/i.test(path)
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
  pin_excluded: ['pin-excluded', 'Nothing to do, unless the phrase should be replaced.'],
}

/** Reports the errors of all rules, because the compressor stops at the first one. */
function reportGlossaryErrors(
  source: Source,
  glossary: readonly GlossaryRule[],
  first: CompressError,
  diagnostics: Diagnostics,
): void {
  for (const [rule, found] of listRuleErrors(glossary, source.body).entries()) {
    const error = rule === first.rule ? first : found
    if (error === undefined) continue
    const position = diagnostics.findPosition(`glossary.${rule}.term`, `glossary.${rule}`)
    if (error.code !== 'term_collision') {
      diagnostics.report('glossary-invalid', position, error.message, error.hint)
      continue
    }
    reportCollisions(source, error, position.line, diagnostics)
  }
}

/**
 * Reports each line of the body that contains a term, which the front matter defines in the line
 * `definedIn`.
 */
function reportCollisions(
  { body, bodyLine }: Source,
  { offsets, message, hint }: CompressError,
  definedIn: number,
  diagnostics: Diagnostics,
): void {
  const positionAt = createPositionFinder(body)
  let last = 0
  for (const offset of offsets) {
    const { line, column } = positionAt(offset)
    if (line === last) continue
    last = line
    diagnostics.report(
      'glossary-collision',
      { line: bodyLine + line - 1, column },
      `${message} (glossary, line ${definedIn})`,
      hint,
    )
  }
}

/**
 * Reports the rules of the glossary that break a rule of the scheme (SPEC.md §8.4 and §8.6). Of
 * default rules for many files only those with an entry here are reported, at the beginning of
 * the file.
 */
function reportReadability(
  source: Source,
  { entries, tokenizer }: Compression,
  scheme: Scheme,
  diagnostics: Diagnostics,
): void {
  const own = countOwnRules(source)
  const used = new Set(entries.map(({ expansion }) => expansion))
  for (const { rule, broken, message } of lintGlossary(source.glossary, { scheme, entries, tokenizer })) {
    const isOwn = rule < own
    if (!isOwn && !used.has(source.glossary[rule]!.expansion)) continue
    const key = TERM_RULES.has(broken) ? 'term' : 'expansion'
    const position = isOwn ? diagnostics.findPosition(`glossary.${rule}.${key}`) : { line: 1, column: 1 }
    const origin = isOwn ? '' : ' (a rule of the configuration)'
    diagnostics.report('glossary-readability', position, `${message}${origin}`, HINT)
  }
}

const TERM_RULES: ReadonlySet<string> = new Set(['T8', 'T9', 'T10'])
const HINT = 'Nothing to do if this is intended; models read such an entry less well.'
