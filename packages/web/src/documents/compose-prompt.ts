import { decode, restore, type Scheme } from '@packs/codec'
import {
  type ComposedPrompt,
  composePrompt,
  countTokens,
  type PromptDocument,
  type TokenizerName,
} from '@packs/codec/compress'
import { findScheme, type LinkForm } from '@packs/codec/internal'
import type { Pack } from '@packs/codec/pack'

/** How a visitor wants a pack as a prompt. */
export interface PromptOptions {
  /** Undefined keeps the header that the pack was built with. */
  readonly scheme: Scheme | undefined
  /** Undefined is that of the pack. */
  readonly tokenizer: TokenizerName | undefined
  /** Undefined is for the page: numbers, and what a copy with addresses takes. */
  readonly links?: LinkForm | undefined
}

/** A prompt as a page shows it. */
export interface PagePrompt extends Pick<ComposedPrompt, 'text' | 'rosetta' | 'tokens' | 'links'> {
  /** Tokens of the source; of a preview, of its plain text. */
  readonly sources: number
  /** Tokens of the prompt with its addresses in place; undefined if no link is numbered. */
  readonly inline: number | undefined
  /** Whether the text is too large to be compressed here, so that it is the source. */
  readonly isTooLarge: boolean
}

/** UTF-16 units that are compressed for a page: of a whole pack, and of a preview. */
const MAX_COMPRESSED = 512 * 1024
const MAX_COMPRESSED_PREVIEW = 128 * 1024

/**
 * Of a preview it uses nothing but the decoded text.
 * @throws CompressError if it cannot be composed
 */
export async function composePagePrompt(
  pack: Pack,
  scope: 'full' | 'preview',
  { scheme, tokenizer = pack.tokenizer, links: form }: PromptOptions,
): Promise<PagePrompt> {
  const isFull = scope === 'full'
  const document = isFull ? pack : describePreview(pack)
  const isLarge = document.content.length > (isFull ? MAX_COMPRESSED : MAX_COMPRESSED_PREVIEW)
  const wanted = scheme ?? (isFull ? undefined : findScheme(pack.compression))
  const isTooLarge = isLarge && wanted !== undefined && wanted !== 'none'
  const compose = (links: LinkForm): Promise<ComposedPrompt> =>
    composePrompt([document], { scheme: isTooLarge ? 'none' : wanted, tokenizer, links })
  const { text, rosetta, tokens, plan, links } = await compose(form ?? 'number')
  const isNumbered = form === undefined && Object.keys(links).length > 0
  const inline = isNumbered ? (await compose('inline')).tokens : undefined
  const isRestored = isFull && pack.patch !== undefined
  const sources = isRestored ? await countTokens(restore(pack), tokenizer) : (plan.costs.texts ?? tokens)
  return { text, rosetta, tokens, links, inline, sources, isTooLarge }
}

/** Describes a preview as a document of its own, without anything else of the pack. */
function describePreview(pack: Pack): PromptDocument {
  const { preview_content, rosetta, slug, title, format, tokenizer, links, url, minify } = pack
  const content = decode(preview_content, rosetta)
  return { content, rosetta: '[DECODE]', slug, title, format, tokenizer, links, url, minify }
}
