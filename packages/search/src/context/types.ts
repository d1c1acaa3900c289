import type { LinkForm } from '@packs/codec/internal'
import type { ReadingScope } from '../analysis/terms.ts'
import type { FoundPack, FoundSection } from '../store.ts'

export interface ContextOptions {
  /** Maximum tokens of the text. */
  readonly budget: number
  /** Counts the tokens of the text as it is sent, for the budget. */
  readonly measure: (text: string) => number
  /** Counts the tokens that the result tells, if that is something else. @default `measure` */
  readonly count?: ((text: string) => number) | undefined
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
}

/** The passages that answer a question. */
export interface Context {
  /** The passages, each in tags; empty if there are none. */
  readonly text: string
  /** The address of each number, completed by the URL of its page; empty for other forms. */
  readonly links: Readonly<Record<string, string>>
  /** Exact tokens of the text. */
  readonly tokens: number
  readonly passages: readonly ContextPassage[]
  /** Sections that rank next, or of which less than half is in the text, best first; at most 10. */
  readonly omitted: readonly OmittedSection[]
  /** The question with unknown words replaced by words of the catalog; `null` if none was. */
  readonly corrected: string | null
  /** If no passage fits the budget, the tokens that the smallest one takes. */
  readonly needed: number | null
}

export interface ContextPassage {
  readonly pack: FoundPack
  /** One section, or several that follow one another. */
  readonly sections: readonly FoundSection[]
  /** Titles of the headings that all these sections have above them, or are. */
  readonly path: readonly string[]
  /** Tokens with the tags around it. */
  readonly tokens: number
  readonly score: number
}

export interface OmittedSection {
  readonly pack: FoundPack
  readonly section: FoundSection
  /** `locked`: the reader may not see it; `duplicate`: a passage has the same text. */
  readonly reason: 'budget' | 'duplicate' | 'locked'
}
