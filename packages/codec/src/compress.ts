import { checkOptions, CompressError } from './compress/compress-error.ts'
import type { compress as compressSync } from './compress/compress.ts'
import type { Compression, CompressOptions } from './compress/types.ts'
import type { ComposedPrompt, ComposeOptions, PromptDocument } from './prompt/types.ts'
import { loadTokenizer } from './tokens/load-tokenizer.ts'
import type { TokenizerName } from './tokens/get-tokenizer.ts'

export {
  CompressError,
  type CompressErrorCode,
  type CompressErrorDetails,
  type PackPosition,
  type PromptShare,
} from './compress/compress-error.ts'
export type * from './compress/types.ts'
export type * from './prompt/types.ts'
export { TokenError, type TokenErrorCode } from './tokens/get-tokenizer.ts'
export { loadTokenizer, type LoadOptions } from './tokens/load-tokenizer.ts'
export type { Pieces, Tokenizer, TokenizerName } from './tokens/get-tokenizer.ts'

// The compressor is loaded at the first call.

/**
 * Minifies markdown and compresses it into content and a header. `decode(content, rosetta)` is the
 * minified text, and `restore(result)` the markdown, to the last UTF-16 unit. Loads its tokenizer.
 *
 * Exact for every string, and verified before it returns. If no dictionary saves enough, the
 * content is the minified text under the scheme `minify-1`; if nothing is to minify either, or the
 * string is ill-formed, it is the markdown under `none`. Runs in near-linear time.
 * @throws {CompressError} `source_too_large`, `invalid_scheme`, `invalid_option`,
 *   `invalid_glossary`, `term_collision`
 * @throws {TokenError} `unknown_tokenizer`
 * @example
 * const packed = await compress('# TLS\n\n…', { scheme: 'dense-2' })
 * restore(packed) // '# TLS\n\n…'
 */
export async function compress(markdown: string, options: CompressOptions = {}): Promise<Compression> {
  const isText: boolean = typeof markdown === 'string'
  if (!isText) {
    const hint = 'Pass the text of a file.'
    throw new CompressError('invalid_option', `The markdown is not a string, but ${typeof markdown}`, hint)
  }
  checkOptions(options, ['scheme', 'tokenizer', 'glossary', 'code', 'minify', 'effort', 'worthHeader'])
  const core = await import('./compress/compress.ts')
  await loadTokenizer(options.tokenizer ?? 'o200k_base')
  return core.compress(markdown, options)
}

/**
 * Composes the prompt of several packs that takes the fewest tokens: the plain sources in tags, or
 * all packs with one header. Loads the tokenizer that the packs or the options name.
 * @param packs In the order of the prompt; at most 16 MiB of sources in UTF-8.
 * @throws {CompressError} `invalid_pack`, `undecodable_pack`, `mixed_tokenizers`,
 *   `source_too_large` with the pack; `over_budget` with the shares of all packs; `invalid_option`;
 *   `invalid_scheme`; `invalid_glossary` for the rules of the options
 * @throws {TokenError} `unknown_tokenizer`
 * @example
 * const { text, rosetta, plan } = await composePrompt(packs, { scheme: 'dense-2' })
 * const answer = await ask(text, question)
 * decode(text, rosetta) // the prompt with the bodies of the packs
 */
export async function composePrompt(
  packs: readonly PromptDocument[],
  options: ComposeOptions = {},
): Promise<ComposedPrompt> {
  const [core, { agreeOnTokenizer, checkInput }] = await Promise.all([
    import('./prompt/compose-prompt.ts'),
    import('./prompt/read-packs.ts'),
  ])
  checkInput(packs, options)
  await loadTokenizer(options.tokenizer ?? agreeOnTokenizer(packs))
  return core.composePrompt(packs, options)
}

/**
 * Counts the tokens of a text as OpenAI's tiktoken does. Loads the tokenizer.
 * @throws {TokenError} `unknown_tokenizer`
 * @example
 * await countTokens('hello world') // 2
 */
export async function countTokens(text: string, tokenizer: TokenizerName = 'o200k_base'): Promise<number> {
  return (await loadTokenizer(tokenizer)).countTokens(text)
}

/**
 * Loads the compressor as a function that does not wait. Its tokenizer must be loaded.
 * @internal
 */
export async function loadCompressor(): Promise<typeof compressSync> {
  return (await import('./compress/compress.ts')).compress
}
