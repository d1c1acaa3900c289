import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { BuildOptions } from '@packs/codec/build'
import type { SourceResult } from '@packs/codec/source'
import type { FoundFile } from '../input/find-files.ts'
import { MAX_SOURCE_BYTES, readBounded } from '../input/read-bounded.ts'

/** One source to build. */
export interface BuildRequest extends FoundFile {
  /** Options of the command line; they override the front matter of every source. */
  readonly overrides: BuildOptions
  /** Size of the source in bytes, 0 if it is unknown. */
  readonly size: number
  /** Reads the source. @throws CliError */
  readonly read: () => Promise<ReadSource>
}

/** A source that was read. Its digest and what is parsed are of the same bytes. */
export interface ReadSource {
  readonly bytes: Uint8Array
  /** SHA-256 of the bytes. */
  readonly digest: string
  /** Parses the source, the first time that it is called. */
  readonly parse: () => Promise<SourceResult>
}

/** @param bytes the source, if it is not to be read from its file */
export function createRequest(
  file: FoundFile,
  overrides: BuildOptions = {},
  bytes?: Uint8Array,
): BuildRequest {
  const size = bytes?.length ?? statSync(file.path, { throwIfNoEntry: false })?.size ?? 0
  return { ...file, overrides, size, read: () => readSource(file, bytes) }
}

/** Reads a source, or stdin, unless its bytes are given. @throws CliError */
export async function readSource(file: FoundFile, bytes?: Uint8Array): Promise<ReadSource> {
  const read = bytes ?? (await readBounded(file.path, MAX_SOURCE_BYTES, file.shown))
  let parsed: Promise<SourceResult> | undefined
  const parse = (): Promise<SourceResult> => (parsed ??= parseSource(file, read))
  return { bytes: read, digest: createHash('sha256').update(read).digest('hex'), parse }
}

async function parseSource(
  { path, shown, stdinPath = path, given = {} }: FoundFile,
  bytes: Uint8Array,
): Promise<SourceResult> {
  // A source whose pack is in the cache is not parsed.
  const { loadSource } = await import('@packs/codec/load-source')
  if (stdinPath === '-') return loadSource(bytes, { path: 'stdin', given })
  return loadSource(bytes, { path: shown, folder: basename(dirname(stdinPath)), given })
}
