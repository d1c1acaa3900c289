import { hash } from 'node:crypto'
import { statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { BuildOptions } from '@packs/codec/build'
import type { SourceResult } from '@packs/codec/source'
import type { CliError } from '../cli-error.ts'
import type { FoundFile, FoundFiles } from '../input/find-files.ts'
import { MAX_SOURCE_BYTES, readBounded } from '../input/read-bounded.ts'
import type { BuildResult } from '../output/build-result.ts'
import type { DiagnosticOptions } from '../output/report-diagnostics.ts'
import { diagnoseError } from '../output/report-error.ts'

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
  return { bytes: read, digest: hash('sha256', read), parse }
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

/** Options of one build: of its packs, and of its output. */
export interface BuildRunOptions extends BuildOptions, DiagnosticOptions {
  /** Lowest net savings of a pack, in percent. */
  readonly minSavings?: number
  readonly json?: boolean
  /** Longest build of one source, in seconds. */
  readonly buildSeconds: number
  /** `false` neither reads nor writes the build cache. */
  readonly cache?: boolean
  /** Removes packs of earlier builds whose source is gone. */
  readonly clean?: boolean
  /** Path of the HTML report. */
  readonly report?: string
}

/** The requests of a build, and the results of inputs that cannot be read. */
interface Requests {
  readonly good: BuildRequest[]
  readonly bad: BuildResult[]
}

/** Bytes of sources that are kept in memory, because the estimate of denser schemes needs some of them once more. */
const MOST_KEPT = 4 * 1024 * 1024

/** Creates the requests of a build. Only stdin is read at once. */
export async function createRequests({ files }: FoundFiles, options: BuildRunOptions): Promise<Requests> {
  const { scheme, code, tokenizer, budget, worthHeader, effort } = options
  const overrides = { scheme, code, tokenizer, budget, worthHeader, effort }
  const requests: Requests = { good: [], bad: [] }
  let room = MOST_KEPT
  for (const file of files) {
    try {
      const bytes = file.path === '-' ? (await readSource(file)).bytes : undefined
      const request = createRequest(file, overrides, bytes)
      let kept: ReadSource | undefined
      const read = async (): Promise<ReadSource> => {
        if (kept !== undefined) return kept
        const source = await request.read()
        room -= source.bytes.length
        if (room >= 0) kept = source
        return source
      }
      requests.good.push({ ...request, read })
    } catch (error) {
      requests.bad.push(failedInput(error as CliError))
    }
  }
  return requests
}

/** Returns the failed result of an input that is not a source. */
export function failedInput(error: CliError): BuildResult {
  const shown = error.file ?? '<stdin>'
  const messages = [diagnoseError(error, shown)]
  return { path: shown, shown, pack: null, slugPosition: null, text: null, messages }
}
