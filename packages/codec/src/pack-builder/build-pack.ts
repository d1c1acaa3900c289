import type { VFileMessage } from 'vfile-message'
import { DEFAULT_WORTH_HEADER } from '../compress/cost/prompt-savings.ts'
import type { Compression, WorthHeader } from '../compress/types.ts'
import type { Pack } from '../pack/pack-schema.ts'
import type { Source } from '../source/types.ts'
import { getTokenizer } from '../tokens/get-tokenizer.ts'
import { loadTokenizer } from '../tokens/load-tokenizer.ts'
import type { TokenizerName } from '../tokens/types.ts'
import type { Scheme } from '../types.ts'
import { compressSource, isMdx } from './compress-source.ts'
import { createDiagnostics } from './diagnostics.ts'
import { finishPack } from './finish-pack.ts'
import { dropUsedTerms } from './given-rules.ts'

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
 * Builds the pack of a source: compresses its body, counts tokens, cuts the preview and adds the digest.
 *
 * The result is deterministic: the same source gives the same bytes. `messages` lists what the author should know.
 *
 * @throws TokenError for an unknown tokenizer
 * @example
 * const { source } = parseSource(markdown, { path: 'tls.md' })
 * const { pack, messages } = await buildPack(source)
 */
export async function buildPack(parsed: Source, options: BuildOptions = {}): Promise<BuildResult> {
  await loadTokenizer(options.tokenizer ?? parsed.tokenizer)
  return buildPackSync(parsed, options)
}

/**
 * Builds the pack of a source as {@link buildPack} does, in one synchronous step. Its tokenizer must be loaded.
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
