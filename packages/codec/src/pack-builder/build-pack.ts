import type { VFileMessage } from 'vfile-message'
import type { Compression } from '../compress/index.ts'
import type { Pack } from '../pack/pack-schema.ts'
import type { Source } from '../source/types.ts'
import { loadTokenizer } from '../tokens/load-tokenizer.ts'
import type { TokenizerName } from '../tokens/types.ts'
import type { Scheme } from '../types.ts'
import { compressSource } from './compress-source.ts'
import { createDiagnostics } from './diagnostics.ts'
import { finishPack } from './finish-pack.ts'

/** What goes before the source's own front matter. */
export interface BuildOptions {
  readonly scheme?: Scheme | undefined
  readonly tokenizer?: TokenizerName | undefined
  readonly code?: boolean | undefined
  /** Most tokens the pack may have, header included. */
  readonly budget?: number | undefined
  /** @default 'fast' */
  readonly effort?: 'fast' | 'best' | undefined
}

/** A pack and how it came to be. Both are absent where a message says why there is none. */
export interface BuildResult {
  readonly pack?: Pack
  readonly compression?: Compression
  readonly messages: readonly VFileMessage[]
}

/**
 * Builds the pack of a source: compresses its body, counts, cuts the preview, and seals the document.
 *
 * Built twice, it is the same to the byte: no clock, no chance. What the author should know is in `messages`.
 *
 * @throws TokenError for an unknown tokenizer
 * @example
 * const { source } = parseSource(markdown, { path: 'tls.md' })
 * const { pack, messages } = await buildPack(source)
 */
export async function buildPack(source: Source, options: BuildOptions = {}): Promise<BuildResult> {
  const tokenizer = await loadTokenizer(options.tokenizer ?? source.tokenizer)
  const scheme = options.scheme ?? source.compression
  const diagnostics = createDiagnostics(source)
  const compression = compressSource(
    source,
    {
      scheme,
      tokenizer: tokenizer.name,
      glossary: source.glossary,
      code: options.code ?? source.code,
      effort: options.effort ?? 'fast',
    },
    diagnostics,
  )
  if (compression === undefined) return { messages: diagnostics.list() }
  const pack = finishPack(source, compression, { scheme, tokenizer, budget: options.budget }, diagnostics)
  return { pack, compression, messages: diagnostics.list() }
}
