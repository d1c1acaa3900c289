import { basename, dirname, join } from 'node:path'
import type { PublishRequest, SourceMessage, VersionLevel } from '@packs/publisher'
import { CliError } from '../cli-error.ts'
import type { FoundFile, FoundFiles } from '../input/find-files.ts'
import { MAX_SOURCE, readBounded } from '../input/read-bounded.ts'
import { toDiagnostic } from '../output/diagnostic.ts'
import { findGitCommits } from './find-git-commits.ts'
import { failedInput, failedOutcome, type PublishOutcome } from './report-publish.ts'

/** A request and the input it stands for. */
export interface SourceRequest {
  readonly shown: string
  readonly request: PublishRequest
}

export interface ReadRequests {
  readonly requests: readonly SourceRequest[]
  readonly failures: readonly PublishOutcome[]
}

/** Reads sources; bad ones, and those that share a slug, are told and stop no other. */
export async function readRequests(
  found: FoundFiles,
  options: { readonly bump?: VersionLevel; readonly rebuild?: boolean },
): Promise<ReadRequests> {
  const { readSource } = await import('@packs/publisher')
  const commits = await findGitCommits(found.files.map(({ path }) => path).filter((path) => path !== '-'))
  const requests: SourceRequest[] = []
  const failures: PublishOutcome[] = found.failures.map((failure) => failedInput(failure))
  for (const { path, shown } of found.files) {
    try {
      const read = readSource(await loadFile({ path, shown }))
      const gitCommit = commits.get(path) ?? null
      requests.push({ shown, request: { ...read, gitCommit, bump: options.bump, rebuild: options.rebuild } })
    } catch (error) {
      failures.push(failedOutcome(error, shown, { diagnostics: readDiagnostics(error, shown) }))
    }
  }
  return failDuplicateSlugs({ requests, failures })
}

async function loadFile({ path, shown }: FoundFile): Promise<PublishRequest['file']> {
  const bytes = await readBounded(path, MAX_SOURCE, shown)
  if (path === '-' && bytes.length === 0) throw emptyStdinError(shown)
  return { bytes, path: path === '-' ? 'stdin' : choosePath(path, shown) }
}

/** A file that is empty is so on purpose; nothing on stdin is most often a command before the pipe that failed. */
function emptyStdinError(file: string): CliError {
  return new CliError(
    'empty_source',
    'stdin is empty',
    'pipe a source in, or name a file: that may be empty',
    {
      file,
    },
  )
}

/** A README has its slug from its folder, so that its path names one wherever it is published from. */
function choosePath(path: string, shown: string): string {
  if (!/^(?:readme|index)(?:\.|$)/i.test(basename(path))) return shown
  const folders = dirname(shown).split(/[/\\]/)
  const isNamed = folders.some((name) => name !== '' && name !== '.' && name !== '..')
  return isNamed ? shown : join(basename(dirname(path)), basename(path))
}

function readDiagnostics(error: unknown, shown: string): PublishOutcome['diagnostics'] {
  const messages = error instanceof Error && 'messages' in error ? (error.messages as SourceMessage[]) : []
  return messages.map((message) => toDiagnostic(message, shown))
}

function failDuplicateSlugs({ requests, failures }: ReadRequests): ReadRequests {
  const groups = Map.groupBy(requests, ({ request }) => request.source.slug)
  const duplicates = requests
    .filter(({ request }) => groups.get(request.source.slug)!.length > 1)
    .map((source) => failedOutcome(...duplicateSlugOutcome(source, groups.get(source.request.source.slug)!)))
  return {
    requests: requests.filter(({ request }) => groups.get(request.source.slug)!.length === 1),
    failures: [...failures, ...duplicates],
  }
}

function duplicateSlugOutcome(
  source: SourceRequest,
  group: readonly SourceRequest[],
): Parameters<typeof failedOutcome> {
  const { slug } = source.request.source
  const others = group.filter((other) => other !== source).map((other) => formatLocation(other))
  const error = new CliError(
    'duplicate_slug',
    `slug "${slug}" of ${formatLocation(source)} is also that of ${others.join(', ')}`,
    'set another slug in the front matter of one of them',
  )
  return [error, source.shown, { slug }]
}

function formatLocation({ shown, request }: SourceRequest): string {
  const place = request.source.places.get('slug')
  return place ? `${shown}:${place.line}:${place.column}` : shown
}
