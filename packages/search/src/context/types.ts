import type { LinkForm } from '@packs/codec/internal'
import type { ReadingScope } from '../analysis/terms.ts'
import type { FoundPack, FoundSection } from '../store.ts'

export interface ContextOptions {
  /** Maximum tokens of the text. */
  readonly budget: number
  /** Counts the tokens of the text as it is sent, for the budget. */
  readonly measure: (text: string) => number
  /** What the reader may see. */
  readonly scope: ReadingScope
  /** Slug of a domain. */
  readonly domain?: string | undefined
  /** Slugs or ids of the packs to search. @default all */
  readonly packs?: readonly string[] | undefined
  /**
   * How links are written: as `number`, counted over the whole text; with the address in place
   * (`inline`); or without (`drop`). @default 'number'
   */
  readonly links?: LinkForm | undefined
  /** Whether weak sections get what is left of the budget, best first. @default false */
  readonly fill?: boolean | undefined
}

/** How well the passages answer a question. */
export type ContextMatch = 'good' | 'partial' | 'none'

/** The passages that answer a question. */
export interface Context {
  /** The passages, each in tags; that there are none; or empty, if none fits. */
  readonly text: string
  /** The address of each number, completed by the URL of its page; empty for other forms. */
  readonly links: Readonly<Record<string, string>>
  /** Exact tokens of the text. */
  readonly tokens: number
  readonly passages: readonly ContextPassage[]
  /** Sections that rank next, or of which less than half is in the text, best first; at most 10. */
  readonly omitted: readonly OmittedSection[]
  /** `none` too if there are no passages. */
  readonly match: ContextMatch
  /**
   * The question with unknown words replaced by words of the catalog; `null` if none was. Without
   * passages it is an offer.
   */
  readonly corrected: string | null
  /** If no passage fits the budget, the tokens that the smallest one takes. */
  readonly needed: number | null
}

export interface ContextPassage {
  readonly pack: FoundPack
  /** One section, or several that follow one another. */
  readonly sections: readonly FoundSection[]
  /** Title of the pack, then of the headings that all these sections have above them, or are. */
  readonly path: readonly string[]
  /** Tokens with the tags around it. */
  readonly tokens: number
  readonly score: number
  /** What is inside the tags. */
  readonly text: string
  /** Address of its first section; `null` if the pack has none. */
  readonly url: string | null
}

export interface OmittedSection {
  readonly pack: FoundPack
  readonly section: FoundSection
  readonly score: number
  /** Title of the pack, then of the headings above the section, and its own. */
  readonly path: readonly string[]
  /**
   * `weak`: it says little that the passages do not, though it may fit; `duplicate`: a passage has
   * the same text; `budget`: what it needs is not left; `locked`: the reader may not see it.
   */
  readonly reason: 'weak' | 'duplicate' | 'budget' | 'locked'
}
