import type { BuildOptions } from '@packs/codec/build'
import type { CliError } from '../cli-error.ts'
import type { FoundFiles } from '../input/find-files.ts'
import type { BuildResult } from '../output/build-result.ts'
import type { DiagnosticOptions } from '../output/report-diagnostics.ts'
import { diagnoseError } from '../output/report-error.ts'
import { createRequest, readSource, type BuildRequest, type ReadSource } from './read-source.ts'

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
export interface Requests {
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
