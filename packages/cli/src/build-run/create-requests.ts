import type { CliError } from '../cli-error.ts'
import type { FoundFiles } from '../input/find-files.ts'
import { MAX_SOURCE_BYTES, readBounded } from '../input/read-bounded.ts'
import type { BuildResult } from '../output/build-result.ts'
import { errorDiagnostic } from '../output/diagnostic.ts'
import type { DiagnosticOptions } from '../output/report-diagnostics.ts'
import type { BuildOverrides, BuildRequest } from './read-source.ts'

/** Options of one build: of its packs, and of its output. */
export interface BuildRunOptions extends BuildOverrides, DiagnosticOptions {
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

/** Picks the options that override front matter. */
function pickOverrides({
  scheme,
  code,
  tokenizer,
  budget,
  worthHeader,
  effort,
}: BuildRunOptions): BuildOverrides {
  return {
    ...(scheme !== undefined && { scheme }),
    ...(code !== undefined && { code }),
    ...(tokenizer !== undefined && { tokenizer }),
    ...(budget !== undefined && { budget }),
    ...(worthHeader !== undefined && { worthHeader }),
    ...(effort !== undefined && { effort }),
  }
}

/** The requests of a build, and the results of inputs that cannot be read. */
export interface Requests {
  readonly good: BuildRequest[]
  readonly bad: BuildResult[]
}

/** Reads stdin here, because a worker thread cannot. */
export async function createRequests({ files }: FoundFiles, options: BuildRunOptions): Promise<Requests> {
  const overrides = pickOverrides(options)
  const requests: Requests = { good: [], bad: [] }
  for (const { path, shown, stdinPath, given = {} } of files) {
    const request = { path, shown, overrides, given, ...(stdinPath !== undefined && { stdinPath }) }
    if (path !== '-') requests.good.push(request)
    else {
      try {
        requests.good.push({ ...request, bytes: await readBounded(path, MAX_SOURCE_BYTES) })
      } catch (error) {
        requests.bad.push(failedInput(error as CliError))
      }
    }
  }
  return requests
}

/** Returns the failed result of an input that is not a source. */
export function failedInput({ code, message, hint, file }: CliError): BuildResult {
  const shown = file ?? '<stdin>'
  return {
    path: shown,
    shown,
    pack: null,
    slugPosition: null,
    text: null,
    messages: [errorDiagnostic(shown, code, message, hint)],
  }
}
