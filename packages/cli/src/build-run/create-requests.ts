import { statSync } from 'node:fs'
import type { BuildOptions } from '@packs/codec/pack'
import {
  type Diagnostic,
  type FilesError,
  type FoundFile,
  type FoundFiles,
  readSourceFile,
  type ReadSource,
} from '@packs/files'
import type { BuildResult } from '../output/build-result.ts'
import type { DiagnosticOptions } from '../output/report-diagnostics.ts'
import { diagnoseErrors } from '../output/report-error.ts'

export interface BuildRequest extends FoundFile {
  /** Options of the command line; they override the front matter of every source. */
  readonly overrides: BuildOptions
  /** Size of the source in bytes, 0 if it is unknown. */
  readonly size: number
  readonly read: () => Promise<ReadSource>
}

/** @param bytes the source, if it is not to be read from its file */
export function createRequest(
  file: FoundFile,
  overrides: BuildOptions = {},
  bytes?: Uint8Array,
): BuildRequest {
  const size = bytes?.length ?? statSync(file.path, { throwIfNoEntry: false })?.size ?? 0
  return { ...file, overrides, size, read: () => readSourceFile(file, bytes) }
}

export function locateMessages(
  messages: readonly Diagnostic[],
  { findLine }: Pick<ReadSource, 'findLine'>,
): Diagnostic[] {
  return messages.map((message) =>
    message.line === null ? message : { ...message, line: findLine(message.line) },
  )
}

/** Options of one build: of its packs, and of its output. */
export interface BuildRunOptions extends BuildOptions, DiagnosticOptions {
  /** Lowest net savings of a pack, in percent. */
  readonly minSavings?: number
  readonly json?: boolean
  readonly all?: boolean
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
  const { scheme, code, tokenizer } = options
  const overrides = { scheme, code, tokenizer }
  const requests: Requests = { good: [], bad: [] }
  let room = MOST_KEPT
  for (const file of files) {
    try {
      const request = createRequest(file, overrides)
      let kept = file.path === '-' ? await readSourceFile(file) : undefined
      const read = async (): Promise<ReadSource> => {
        if (kept !== undefined) return kept
        const source = await request.read()
        room -= source.bytes.length
        if (room >= 0) kept = source
        return source
      }
      requests.good.push({ ...request, ...(kept && { size: kept.bytes.length }), read })
    } catch (error) {
      requests.bad.push(failedInput(error as FilesError))
    }
  }
  return requests
}

export function failedInput(error: FilesError): BuildResult {
  const shown = error.file ?? '<stdin>'
  const messages = diagnoseErrors(error, shown)
  return { path: shown, shown, pack: null, slugPosition: null, text: null, messages }
}
