import { decode, type Scheme } from '@packs/codec'
import { type ComposedPrompt, composePrompt, type TokenizerName } from '@packs/codec/compress'
import { findScheme } from '@packs/codec/internal'
import type { Pack } from '@packs/codec/pack'

/** How a visitor wants a pack as a prompt. */
export interface PromptOptions {
  /** Undefined keeps the header that the pack was built with. */
  readonly scheme: Scheme | undefined
  /** Undefined is that of the pack. */
  readonly tokenizer: TokenizerName | undefined
}

/** A prompt as a page shows it. */
export interface PagePrompt extends Pick<ComposedPrompt, 'text' | 'rosetta' | 'tokens'> {
  /** Tokens of the plain source. */
  readonly sources: number
  /** Whether the text is too large to be compressed here, so that it is the source. */
  readonly isTooLarge: boolean
}

/** UTF-16 units that are compressed for a page: of a whole pack, and of a preview. */
const MAX_COMPRESSED = 512 * 1024
const MAX_COMPRESSED_PREVIEW = 128 * 1024

/**
 * Composes the prompt of one pack. Of a preview it uses nothing but the decoded text.
 *
 * @throws CompressError if it cannot be composed
 */
export async function composePagePrompt(
  pack: Pack,
  scope: 'full' | 'preview',
  { scheme, tokenizer = pack.tokenizer }: PromptOptions,
): Promise<PagePrompt> {
  const isFull = scope === 'full'
  const document = isFull ? pack : describePreview(pack)
  const isLarge = document.content.length > (isFull ? MAX_COMPRESSED : MAX_COMPRESSED_PREVIEW)
  const wanted = scheme ?? (isFull ? undefined : findScheme(pack.compression))
  const isTooLarge = isLarge && wanted !== undefined && wanted !== 'none'
  const { text, rosetta, tokens, plan } = await composePrompt([document], {
    scheme: isTooLarge ? 'none' : wanted,
    tokenizer,
  })
  return { text, rosetta, tokens, sources: plan.costs.sources ?? tokens, isTooLarge }
}

/** Describes a preview as a document of its own, without anything else of the pack. */
function describePreview({ preview_content, rosetta, slug, title, format, tokenizer }: Pack) {
  return { content: decode(preview_content, rosetta), rosetta: '[DECODE]', slug, title, format, tokenizer }
}
