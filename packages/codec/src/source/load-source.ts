import { withTable } from './derive-slug.ts'
import type { FrontMatter, PageState } from './front-matter/page-state.ts'
import type { SourceOptions, SourceResult } from './types.ts'

export type { FrontMatter }

/**
 * Parses a source file as `parseSource` does, but loads YAML, TOML and schemas only for a file that
 * begins like front matter, and the table of letters only for names that need it. For programs that
 * must start fast.
 * @param bytes the file, or its text
 */
export async function loadSource(bytes: Uint8Array | string, options: SourceOptions): Promise<SourceResult> {
  const { parseText } = await import('./parse-text.ts')
  const isText = typeof bytes === 'string'
  const start = isText ? bytes : new TextDecoder().decode(bytes.subarray(0, FENCE_BYTES))
  const { readFrontMatter } = FENCE.test(start)
    ? await import('./front-matter/read-front-matter.ts')
    : { readFrontMatter: undefined }
  return withTable(() => parseText(bytes, options, readFrontMatter))
}

/** What all front matter begins with, or the end of what was read. */
const FENCE = /^\s*(?:---|\+\+\+|\{|<!--|.{0,3}$)/
/** Bytes of the start that is tested. */
const FENCE_BYTES = 64

/** Returns what a page says about who sees it, as `readPageState` does. */
export async function loadPageState(
  text: string,
  inherited: readonly FrontMatter[] = [],
  isDated = false,
): Promise<PageState> {
  // Most pages need not be parsed.
  return isDated || inherited.length > 0 || STATE.test(text)
    ? (await import('./front-matter/page-state.ts')).readPageState(text, inherited, isDated)
    : {}
}

/** Returns what the front matter of a folder's page says of the pages below; of a bundle, all. */
export async function loadCascade(text: string, isBundle: boolean): Promise<readonly FrontMatter[]> {
  return isBundle || /\bcascade\b/i.test(text)
    ? (await import('./front-matter/page-state.ts')).readCascade(text, isBundle)
    : []
}

// Or a key with a letter that is escaped.
const STATE =
  /\b(?:draft|published|unlisted|headless|render|expirydate|unpublishdate|publishdate|pubdate)["'\s]*[:=：＝]|\\[ux]\d/i
/** Loads a value on first use, and again after an error. */
export function loadOnce<T>(create: () => Promise<T>): () => Promise<T> {
  let value: Promise<T> | undefined
  return () =>
    (value ??= create().catch((error: unknown) => {
      value = undefined
      throw error
    }))
}
