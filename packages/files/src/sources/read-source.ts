import { hash } from 'node:crypto'
import { basename, dirname } from 'node:path'
import { loadSource } from '@packs/codec/internal'
import type { SourceResult } from '@packs/codec/pack'
import type { Diagnostic } from '../diagnostic.ts'
import type { FoundFile } from '../inputs/find-files.ts'
import { MAX_SOURCE_BYTES, readBounded } from '../inputs/read-bounded.ts'
import { resolveText } from './includes/resolve-text.ts'

/** A source that was read; `parse` parses these bytes. */
export interface ReadSource {
  /** The file with its includes resolved, as the configuration prepares it. */
  readonly bytes: Uint8Array
  /** Digest of the file and of these bytes. */
  readonly digest: string
  readonly messages: readonly Diagnostic[]
  /** Absolute paths that its includes name. */
  readonly included: readonly string[]
  /** Parses the source, the first time that it is called. */
  readonly parse: () => Promise<SourceResult>
  /** Returns the line of the file that a line of the text is from. */
  readonly findLine: (line: number) => number
}

/**
 * Reads a source or stdin, resolves its includes, and prepares it as the configuration says.
 * @param hasMessages whether anybody reads the messages about its includes
 */
export async function readSourceFile(
  file: FoundFile,
  bytes?: Uint8Array,
  hasMessages = true,
): Promise<ReadSource> {
  const read = bytes ?? (await readBounded(file.path, MAX_SOURCE_BYTES, file.shown))
  const { text, ...more } = await resolveText(file, read, hasMessages)
  const built = text === undefined ? read : new TextEncoder().encode(text)
  const digest =
    text === undefined ? hash('sha256', read) : hash('sha256', hash('sha256', read) + hash('sha256', built))
  let parsed: Promise<SourceResult> | undefined
  const parse = (): Promise<SourceResult> => (parsed ??= parseSource(file, built))
  return { bytes: built, digest, parse, ...more }
}

async function parseSource(
  { path, shown, stdinPath = path, defaults = {} }: FoundFile,
  bytes: Uint8Array,
): Promise<SourceResult> {
  // A source whose pack is in the cache is not parsed.
  if (stdinPath === '-') return loadSource(bytes, { path: 'stdin', defaults })
  return loadSource(bytes, { path: shown, folder: basename(dirname(stdinPath)), defaults })
}
