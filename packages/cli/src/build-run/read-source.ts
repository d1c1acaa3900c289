import { createHash } from 'node:crypto'
import { basename, dirname } from 'node:path'
import type { Scheme } from '@packs/codec'
import { loadSource } from '@packs/codec/load-source'
import type { GivenFields, Source } from '@packs/codec/source'
import type { WorthHeader } from '@packs/codec/compress'
import type { TokenizerName } from '@packs/codec/tokens'
import { MAX_SOURCE_BYTES, readBounded } from '../input/read-bounded.ts'
import type { BuildResult } from '../output/build-result.ts'
import { errorDiagnostic, toDiagnostic, type Diagnostic } from '../output/diagnostic.ts'
import { describeError } from '../output/report-error.ts'

/** Build options of the command line; they override the front matter of every source. */
export interface BuildOverrides {
  readonly scheme?: Scheme
  readonly code?: boolean
  readonly tokenizer?: TokenizerName
  /** Maximum number of tokens of a pack, header included. */
  readonly budget?: number
  /** Below this saving a pack is its source. */
  readonly worthHeader?: WorthHeader
  readonly effort?: 'fast' | 'best'
}

/** One source to build; plain data, so that it can be sent to a worker. */
export interface BuildRequest {
  /** Absolute path, or `-` with `bytes` given. */
  readonly path: string
  /** Name of the file in messages. */
  readonly shown: string
  readonly bytes?: Uint8Array
  /** Absolute path that stdin is taken for. */
  readonly stdinPath?: string
  readonly overrides: BuildOverrides
  /** Values from outside of the file, which its front matter overrides. */
  readonly given?: GivenFields
}

/** A source that was read. */
export interface ReadSource {
  /** Absent if the source could not be read or parsed. */
  readonly source?: Source
  /** The result as long as there is no pack, with the messages of reading and parsing. */
  readonly unbuilt: BuildResult
}

/** Reads and parses the source of a request. Errors are added to the `messages` of the result. */
export async function readSource({
  path,
  shown,
  bytes,
  stdinPath = path,
  overrides,
  given = {},
}: BuildRequest): Promise<ReadSource> {
  const messages: Diagnostic[] = []
  const unbuilt = { path, shown, pack: null, slugPosition: null, text: null, messages }
  try {
    const data = bytes ?? (await readBounded(path, MAX_SOURCE_BYTES, shown))
    const sourceDigest = createHash('sha256').update(data).digest('hex')
    const parsed = await loadSource(
      data,
      stdinPath === '-'
        ? { path: 'stdin', given }
        : { path: shown, folder: basename(dirname(stdinPath)), given },
    )
    for (const message of parsed.messages) messages.push(toDiagnostic(message, shown))
    const { source } = parsed
    if (source === undefined) return { unbuilt }
    const parts = {
      slug: source.slug,
      slugPosition: source.places.get('slug') ?? null,
      scheme: overrides.scheme ?? source.compression,
      sourceDigest,
    }
    return { source, unbuilt: { ...unbuilt, ...parts } }
  } catch (error) {
    return { unbuilt: addError(unbuilt, error) }
  }
}

/** Adds an error to the messages of a result. */
export function addError(result: BuildResult, error: unknown): BuildResult {
  const { code, message, hint } = describeError(error)
  return { ...result, messages: [...result.messages, errorDiagnostic(result.shown, code, message, hint)] }
}
