import type { Scheme } from '@packs/codec'
import type { Dialect, Difficulty, MinifyOptions } from '@packs/codec/pack'

/** One value for all sources, or by glob, file or folder; of several that fit, the last counts. */
export type ByGlob<T> = T | Readonly<Record<string, T>>

/** A rule for a phrase: its term, or that it is never replaced. */
export interface GlossaryEntry {
  readonly expansion: string
  /** A term is chosen if this is absent. */
  readonly term?: string | undefined
  readonly never?: boolean | undefined
}

/** A source as it is given to `prepare`. */
export interface PreparedSource {
  /** Path of the file from the folder of the configuration, with `/`. */
  readonly path: string
  /** The whole text, front matter and resolved includes too. */
  readonly text: string
}

/** Returns the text to build. */
export type Prepare = (source: PreparedSource) => string | Promise<string>

/** `packs.config.{ts,js,json}` or `"packs"` in `package.json`. Paths begin at its folder. */
export interface PacksConfig {
  /** URL of the JSON schema, for editors. */
  readonly $schema?: string | undefined
  /** Files, folders and globs that `pack build` and `pack publish` read without inputs. */
  readonly sources?: readonly string[] | undefined
  /** Folder for the packs. @default 'dist' below the working folder */
  readonly out?: string | undefined
  /** Compression scheme of sources that name none. */
  readonly scheme?: Scheme | undefined
  readonly domain?: ByGlob<string> | undefined
  readonly subdomain?: ByGlob<string> | undefined
  readonly difficulty?: ByGlob<Difficulty> | undefined
  /**
   * The dialects of pages, in place of those that the files above them show. An empty list is
   * CommonMark with the additions of GitHub.
   */
  readonly dialect?: ByGlob<Dialect | readonly Dialect[]> | undefined
  /** Rules of `minify-1` that are not applied, and dialects of the pages without `dialect`. */
  readonly minify?: MinifyOptions | undefined
  /** URL of the folder of the pages; with the rule of their site for paths, each gets its own. */
  readonly base_url?: string | undefined
  readonly frontMatter?:
    | {
        /** A field's other key (`{ title: 'name' }`), or a key to drop (`{ weight: false }`). */
        readonly map?: Readonly<Record<string, string | false>> | undefined
      }
    | undefined
  /** Rules for phrases of every source, besides those of its front matter. */
  readonly glossary?: readonly GlossaryEntry[] | undefined
  /** Maximum tokens of a pack, header included. */
  readonly budget?: number | undefined
  /** Packs with lower net savings fail, in percent. */
  readonly minSavings?: number | undefined
  /**
   * What a header must save in the whole prompt; a pack in which it saves less has none.
   * @default { percent: 2, tokens: 40 }
   */
  readonly worthHeader?: { readonly percent: number; readonly tokens: number } | undefined
  /** Patterns in the syntax of `.gitignore` for files that folders and globs skip. */
  readonly ignore?: readonly string[] | undefined
  /** Extensions of sources besides `.md`, `.markdown` and `.mdx`. */
  readonly extensions?: readonly string[] | undefined
  /**
   * Changes the text of each source before it is built, for example to resolve the shortcodes of a
   * site. Only in a configuration that is code. It has 10 seconds for each source; a source for
   * which it fails is not built.
   */
  readonly prepare?: Prepare | undefined
}

/**
 * Returns its argument; gives a configuration in TypeScript or JavaScript its types.
 * @example
 * export default defineConfig({
 *   sources: ['docs'],
 *   domain: { 'docs/api': 'API' },
 *   prepare: ({ text }) => text.replaceAll('{{< version >}}', '2.1'),
 * })
 */
export function defineConfig(config: PacksConfig): PacksConfig {
  return config
}
