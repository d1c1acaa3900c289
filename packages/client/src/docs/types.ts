import type { ComposedPrompt, ComposeOptions } from '@packs/codec/compress'
import type { LinkForm } from '@packs/codec/internal'
import type { Difficulty } from '@packs/codec/pack'
import type { CallOptions } from '../types.ts'

/** Names a version, so that a log says what a model saw. */
export interface PackIdentity {
  /** Slug. */
  readonly pack: string
  readonly version: string
  /** `pack_digest`; `null` if it is not known, as for the preview of a Free account. */
  readonly digest: string | null
  /** Of the verified key that signed it; absent if it is unsigned or not known. */
  readonly signer?: string
  readonly title: string
}

export interface ContextOptions extends CallOptions {
  /** Slugs or ids of the packs to ask. @default all */
  readonly packs?: readonly string[] | undefined
  /** Maximum tokens of the text in o200k_base. @default 2000; without a question, 200,000 */
  readonly budget?: number | undefined
  /** How links are written. @default 'number', with the addresses in `links` */
  readonly links?: LinkForm | undefined
  /** Adds passages that match weakly if tokens are left. @default false */
  readonly fill?: boolean | undefined
}

/** The passages that answer a question. */
export interface Context {
  /** For a prompt: what a model should know of the answer, then each passage in tags, or empty. */
  readonly text: string
  /** The address of each number in the text. */
  readonly links: Readonly<Record<string, string>>
  /** Exact tokens of the text in o200k_base. */
  readonly tokens: number
  readonly budget: number
  /** How well the passages match the question; the text says it too if it is not `good`. */
  readonly match: 'good' | 'partial' | 'none'
  /** The passages, in the order of the text. */
  readonly passages: readonly Passage[]
  /** Sections that match too, best first. */
  readonly omitted: readonly OmittedSection[]
  /** The question in the spelling that was searched or is offered; null if that is the same. */
  readonly corrected: string | null
  /** If nothing fits the budget, the tokens that the smallest answer takes. */
  readonly needed: number | null
  /** Whether it is an earlier answer, because the catalog is not available. */
  readonly stale: boolean
}

/** A section, or several that follow one another, or their parts that match. */
export interface Passage extends PackIdentity {
  /** Id of the first section; `null` for a whole pack. */
  readonly section: string | null
  readonly sections: readonly string[]
  /** The title of the page, then the headings above all these sections, or theirs. */
  readonly path: readonly string[]
  /** Tokens with the tags. */
  readonly tokens: number
  readonly score: number
  readonly text: string
  /** Where readers find it; `null` if its page has no address. */
  readonly url: string | null
}

export interface OmittedSection extends PackIdentity {
  readonly section: string
  readonly path: readonly string[]
  readonly tokens: number
  /**
   * `weak`: it adds little; `duplicate`: a passage has the same text; `budget`: it does not fit;
   * `locked`: the reader may not see it.
   */
  readonly reason: 'weak' | 'duplicate' | 'budget' | 'locked'
}

export interface SearchOptions extends CallOptions {
  /** Maximum number of sections. @default 10 */
  readonly limit?: number | undefined
  /** Slug of a domain. @default all */
  readonly domain?: string | undefined
  /** @default all */
  readonly difficulty?: Difficulty | undefined
}

export interface SearchResult {
  readonly sections: readonly FoundSection[]
  /** The query with unknown words replaced; `null` if none was. */
  readonly corrected: string | null
  /** Whether it is an earlier result, because the catalog is not available. */
  readonly stale: boolean
}

/** A section that matches, or a pack as a whole. */
export interface FoundSection extends PackIdentity {
  /** `null` for the pack as a whole. */
  readonly section: string | null
  readonly path: readonly string[]
  /** Tokens as plain text. */
  readonly tokens: number
  /** Text around the match; `null` if the reader may not see it. */
  readonly snippet: string | null
  readonly locked: boolean
}

export interface ReadOptions extends CallOptions {
  /** Maximum tokens of the text in o200k_base; `next` reads on. @default all */
  readonly budget?: number | undefined
  /** `next` of the text before. */
  readonly next?: string | null | undefined
  /** @default 'number' */
  readonly links?: LinkForm | undefined
}

/** A pack or a section, or a part of it. */
export interface ReadText extends PackIdentity {
  readonly section: string | null
  readonly text: string
  /** The address of each number in the text. */
  readonly links: Readonly<Record<string, string>>
  readonly tokens: number
  /** Whether the reader may see the preview only. */
  readonly locked: boolean
  /** Reads on, from the same version; `null` at the end. */
  readonly next: string | null
}

/** The sections of a pack in order: the first 5,000. */
export interface Outline extends PackIdentity {
  /** Tokens of the whole text. */
  readonly tokens: number
  readonly locked: boolean
  readonly sections: readonly OutlinedSection[]
  /** All sections of the pack. */
  readonly total: number
}

export interface OutlinedSection {
  readonly section: string
  readonly title: string
  /** From 1 to 6; 0 for the text before the first heading. */
  readonly level: number
  /** Tokens as plain text, alone and with the sections below it. */
  readonly tokens: number
  readonly subtreeTokens: number
  readonly locked: boolean
}

export interface DocsPack extends PackIdentity {
  /** Name of its domain. */
  readonly domain: string
  /** Tokens of the whole text. */
  readonly tokens: number
}

export interface PromptOptions
  extends CallOptions, Pick<ComposeOptions, 'budget' | 'fit' | 'links' | 'scheme' | 'tokenizer'> {}

/** A prompt. The same packs in the same order give the same text. */
export interface Prompt extends Pick<ComposedPrompt, 'text' | 'rosetta' | 'links' | 'tokens' | 'tokenizer'> {
  /** The versions in the text, in its order: for logs, and for the same prompt later. */
  readonly packs: readonly PackIdentity[]
  /** If it does not fit the budget, the tokens that it takes; then the text is empty. */
  readonly needed: number | null
}
