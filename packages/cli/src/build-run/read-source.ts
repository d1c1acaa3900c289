import { hash } from 'node:crypto'
import { statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { loadSource } from '@packs/codec/internal'
import type { BuildOptions, SourceResult } from '@packs/codec/pack'
import type { CliError } from '../cli-error.ts'
import type { FoundFile, FoundFiles } from '../input/search-inputs.ts'
import { MAX_SOURCE_BYTES, readBounded } from '../input/read-bounded.ts'
import { resolveText } from '../input/includes/resolve-text.ts'
import type { BuildResult } from '../output/build-result.ts'
import type { Diagnostic } from '../output/diagnostic.ts'
import type { DiagnosticOptions } from '../output/report-diagnostics.ts'
import { diagnoseErrors } from '../output/report-error.ts'

export interface BuildRequest extends FoundFile {
  /** Options of the command line; they override the front matter of every source. */
  readonly overrides: BuildOptions
  /** Size of the source in bytes, 0 if it is unknown. */
  readonly size: number
  readonly read: () => Promise<ReadSource>
}

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

/** @param bytes the source, if it is not to be read from its file */
export function createRequest(
  file: FoundFile,
  overrides: BuildOptions = {},
  bytes?: Uint8Array,
): BuildRequest {
  const size = bytes?.length ?? statSync(file.path, { throwIfNoEntry: false })?.size ?? 0
  return { ...file, overrides, size, read: () => readSource(file, bytes) }
}

/**
 * Reads a source or stdin, resolves its includes, and prepares it as the configuration says.
 * @param hasMessages whether anybody reads the messages about its includes
 */
export async function readSource(
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

export function locateMessages(
  messages: readonly Diagnostic[],
  { findLine }: Pick<ReadSource, 'findLine'>,
): Diagnostic[] {
  return messages.map((message) =>
    message.line === null ? message : { ...message, line: findLine(message.line) },
  )
}

async function parseSource(
  { path, shown, stdinPath = path, defaults = {} }: FoundFile,
  bytes: Uint8Array,
): Promise<SourceResult> {
  // A source whose pack is in the cache is not parsed.
  if (stdinPath === '-') return loadSource(bytes, { path: 'stdin', defaults })
  return loadSource(bytes, { path: shown, folder: basename(dirname(stdinPath)), defaults })
}

/** Options of one build: of its packs, and of its output. */
export interface BuildRunOptions extends BuildOptions, DiagnosticOptions {
  /** Lowest net savings of a pack, in percent. */
  readonly minSavings?: number
  readonly json?: boolean
  readonly buildSeconds: number
  /** `false` neither reads nor writes the build cache. */
  readonly cache?: boolean
  /** Removes packs of earlier builds whose source is gone. */
  readonly clean?: boolean
  readonly report?: string
}

/** The requests of a build, and the results of inputs that cannot be read. */
interface Requests {
  readonly good: BuildRequest[]
  readonly bad: BuildResult[]
}

/** In bytes: the estimate of `dense-2` reads some sources again. */
const MOST_KEPT = 4 * 1024 * 1024

export async function createRequests({ files }: FoundFiles, options: BuildRunOptions): Promise<Requests> {
  const { scheme, code, tokenizer, budget } = options
  const overrides = { scheme, code, tokenizer, budget }
  const requests: Requests = { good: [], bad: [] }
  let room = MOST_KEPT
  for (const file of files) {
    try {
      const request = createRequest(file, overrides)
      let kept = file.path === '-' ? await readSource(file) : undefined
      const read = async (): Promise<ReadSource> => {
        if (kept !== undefined) return kept
        const source = await request.read()
        room -= source.bytes.length
        if (room >= 0) kept = source
        return source
      }
      requests.good.push({ ...request, ...(kept && { size: kept.bytes.length }), read })
    } catch (error) {
      requests.bad.push(failedInput(error as CliError))
    }
  }
  return requests
}

export function failedInput(error: CliError): BuildResult {
  const shown = error.file ?? '<stdin>'
  const messages = diagnoseErrors(error, shown)
  return { path: shown, shown, pack: null, slugPosition: null, text: null, messages }
}
