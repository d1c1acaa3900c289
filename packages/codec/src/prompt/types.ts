import type { PromptShare } from '../compress/compress-error.ts'
import type { GlossaryRule, WorthHeader } from '../compress/types.ts'
import type { LinkTable } from '../links/link-address.ts'
import type { LinkForm } from '../links/write-links.ts'
import type { MinifyOptions, PatchRow } from '../minify/types.ts'
import type { TokenizerName } from '../tokens/get-tokenizer.ts'
import type { PackScheme, RosettaEntry, Scheme } from '../types.ts'

/** A pack, or a pack document, that goes into a prompt. */
export interface PromptDocument {
  readonly content: string
  /** @default '[DECODE]', for a plain text */
  readonly rosetta?: string | undefined
  /** Written into the tag around the content if there is no title. */
  readonly slug?: string | undefined
  readonly compression?: PackScheme | undefined
  /** Written into the tag around the content. */
  readonly title?: string | undefined
  /** Of a pack document, which may come from somebody else. */
  readonly format?: string | undefined
  readonly tokenizer?: TokenizerName | undefined
  /** The author's glossary. Its rules hold for the whole set. */
  readonly glossary?: readonly GlossaryRule[] | undefined
  /** `false` if code has no entries. */
  readonly code?: boolean | undefined
  /** Addresses of the numbered links of a minified text. */
  readonly links?: LinkTable | undefined
  /** URL of the page, which completes relative addresses. */
  readonly url?: string | undefined
  /** How the text was minified. */
  readonly minify?: MinifyOptions | undefined
  /** What restores the source of a minified text. */
  readonly patch?: readonly PatchRow[] | undefined
}

export interface ComposeOptions {
  /**
   * `none` gives the sources: of a minified pack its text, unless the pack has its patch.
   * @default a single pack stays as it was built; several take the densest scheme among them,
   *   `minify-1` if all are `none` or unstated
   */
  readonly scheme?: Scheme | undefined
  /**
   * What a header must save compared with the sources, counted in the whole prompt, to be
   * written. @default { percent: 2, tokens: 40 }
   */
  readonly worthHeader?: WorthHeader | undefined
  /**
   * Tokenizer that counts the prompt. Any other than o200k_base must be loaded by `loadTokenizer`
   * first.
   * @default that of the packs; o200k_base if they state none
   */
  readonly tokenizer?: TokenizerName | undefined
  /** Most tokens of the whole text. */
  readonly budget?: number | undefined
  /** `first`: takes packs in order until one does not fit, instead of an error. */
  readonly fit?: 'first' | undefined
  /** Rules for the whole set; before those of the packs. @default [] */
  readonly glossary?: readonly GlossaryRule[] | undefined
  /**
   * Whether code may have entries, under `dense-2` and `max-2`. @default for each pack, what its
   * author says
   */
  readonly code?: boolean | undefined
  /**
   * How links of minified packs are written: as `number`, counted over the whole prompt; with the
   * address in place (`inline`), for people who copy; or without (`drop`). @default 'number'
   */
  readonly links?: LinkForm | undefined
}

/** The ways to write a prompt: the plain texts in tags, or all packs with one header. */
export type PromptPlan = 'texts' | 'together'

/** A glossary rule that was skipped, or a pack with the text of an earlier one. */
export interface PromptNote {
  readonly code: 'pin_clashes' | 'duplicate_pack'
  /** Index of the pack: of a rule that was skipped, or of the text that violates a rule. */
  readonly pack: number
  readonly message: string
}

/** A prompt, its header, and what each plan costs. */
export interface ComposedPrompt {
  /** The prompt to send. The same packs in the same order give the same text everywhere. */
  readonly text: string
  /** The header that decodes every framed content; `[DECODE]` if there is none in the text. */
  readonly rosetta: string
  readonly terms: readonly RosettaEntry[]
  /**
   * The address of each number in the text, for `resolveLinks`. Relative ones are completed by the
   * `url` of their pack. Empty for other forms than `number`.
   */
  readonly links: Readonly<Record<string, string>>
  readonly tokens: number
  readonly tokenizer: TokenizerName
  /** Of the plan `together`. */
  readonly scheme: Scheme
  readonly plan: {
    readonly chosen: PromptPlan
    /** Tokens of the whole text under each plan; undefined for a plan that is excluded. */
    readonly costs: Readonly<Record<PromptPlan, number | undefined>>
  }
  /** How many of the packs are in the text: all, unless `fit` dropped some. */
  readonly packs: number
  /** Tokens of each pack in the text, its tags included, without the header and the instruction. */
  readonly shares: readonly PromptShare[]
  readonly notes: readonly PromptNote[]
}
