import type { GlossaryRule, WorthHeader } from '../compress/types.ts'
import type { MinifyOptions } from '../minify/types.ts'
import type { JsonObject } from '../pack/canonical-json.ts'
import type { Difficulty } from '../pack/pack-schema.ts'
import type { TokenizerName } from '../tokens/get-tokenizer.ts'
import type { Scheme } from '../types.ts'

/** A position, from 1, columns in UTF-16 units; a byte order mark is not counted. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** A parsed source file: every field has a value, defaults or assumed. */
export interface Source {
  readonly path: string
  readonly slug: string
  readonly title: string
  /** Without one `build` writes `0.0.0`, and `publish` chooses one. */
  readonly version?: string
  readonly domain: string
  readonly domainSlug: string
  readonly subdomain: string
  readonly difficulty: Difficulty
  /** One line; absent if the author gives none, as are the next two. */
  readonly description?: string
  readonly tags?: readonly string[]
  /** The keys of the front matter that have no meaning here, for other tools. */
  readonly metadata?: JsonObject
  readonly compression: Scheme
  /** Whether fenced and indented code may be changed under `dense-2` and `max-2`. */
  readonly code: boolean
  readonly tokenizer: TokenizerName
  /** Maximum tokens of the pack, header included. */
  readonly budget?: number
  /** Below this saving the pack is the source itself; absent for the default. */
  readonly worthHeader?: WorthHeader
  /** The dialects of its site, and the rules that are not applied; absent for the defaults. */
  readonly minify?: MinifyOptions
  /** Where readers find the page, which completes relative addresses. */
  readonly url?: string
  readonly glossary: readonly GlossaryRule[]
  /** Everything before the body: byte order mark, fences and what is between them. */
  readonly frontMatter?: string
  /** Everything after the front matter, or else the whole text with a byte order mark. */
  readonly body: string
  /** The line of the file on which the body begins. */
  readonly bodyLine: number
  /** The values from outside of the file that took effect; absent if none did. */
  readonly defaults?: SourceDefaults
  /** Names of the fields that neither the author nor `defaults` sets, as listed in a message. */
  readonly assumed: readonly string[]
  /** Positions of values in the front matter, by key: `slug`, `glossary.0`, `glossary.0.term`. */
  readonly positions: ReadonlyMap<string, Position>
}

/** A message with the fields of a `VFileMessage` of unified, so that its reporters print it. */
export interface SourceMessage extends Error {
  readonly reason: string
  readonly line: number
  readonly column: number
  readonly place: Position
  readonly ruleId: string
  readonly source: string
  readonly file: string
  /** What to do. */
  readonly note: string
  /** `true` for an error, `false` for a warning and undefined for an info. */
  readonly fatal: boolean | undefined
  /** What the message lists: the fields of `assumed-fields`, the keys of `passed-through`. */
  readonly names?: readonly string[]
}

/** The result of {@link parseSource}: no source if a message is an error. */
export interface SourceResult {
  readonly source?: Source
  readonly messages: readonly SourceMessage[]
}

export interface SourceOptions {
  /** Path of the file for messages; slug and title default to it. */
  readonly path: string
  /** Name of the folder of the file, for a README whose path does not contain it. */
  readonly folder?: string
  /** Values from outside of the file; its front matter overrides them. */
  readonly defaults?: SourceDefaults
}

/** From the place in a folder or a configuration; plain data, for threads and stored jobs. */
export interface SourceDefaults {
  readonly slug?: string
  readonly title?: string
  readonly domain?: string
  readonly subdomain?: string
  readonly difficulty?: Difficulty
  readonly compression?: Scheme
  readonly budget?: number
  readonly worthHeader?: WorthHeader
  readonly minify?: MinifyOptions
  readonly url?: string
  /** Rules that apply along with those of the file. */
  readonly glossary?: readonly GlossaryRule[]
  /** Reads a field from another key (`{ title: 'name' }`), or drops one (`{ weight: false }`). */
  readonly frontMatterMap?: Readonly<Record<string, string | false>>
}
