import { withTable } from './derive-slug.ts'
import type { SourceOptions, SourceResult } from './types.ts'

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

/** What all front matter begins with. */
const FENCE = /^\uFEFF?(?:---|\+\+\+|\{)/
/** Bytes of a byte order mark and a fence. */
const FENCE_BYTES = 6

/** As the tool that it is for reads it; undefined if there is none that can be read. */
export async function loadFrontMatter(text: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  return (await import('./front-matter/read-front-matter.ts')).parseFrontMatter(text)
}
