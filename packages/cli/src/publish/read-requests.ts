import { basename, dirname, join } from 'node:path'
import type { PublishRequest, SourceMessage, VersionLevel } from '@packs/publisher'
import { CliError } from '../cli-error.ts'
import type { FoundFile, FoundFiles } from '../input/find-files.ts'
import { MAX_SOURCE, readBounded } from '../input/read-bounded.ts'
import { toDiagnostic } from '../output/diagnostic.ts'
import { findGitCommits } from './find-git-commits.ts'
import { failInput, failLine, type PublishLine } from './report-publish.ts'

/** A request and the input it stands for. */
export interface NamedRequest {
  readonly shown: string
  readonly request: PublishRequest
}

export interface ReadRequests {
  readonly good: readonly NamedRequest[]
  readonly bad: readonly PublishLine[]
}

/** Reads sources; bad ones, and those that share a slug, are told and stop no other. */
export async function readRequests(
  found: FoundFiles,
  options: { readonly bump?: VersionLevel; readonly rebuild?: boolean },
): Promise<ReadRequests> {
  const { readSource } = await import('@packs/publisher')
  const commits = await findGitCommits(found.files.map(({ path }) => path).filter((path) => path !== '-'))
  const good: NamedRequest[] = []
  const bad: PublishLine[] = found.failures.map((failure) => failInput(failure))
  for (const { path, shown } of found.files) {
    try {
      const read = readSource(await loadFile({ path, shown }))
      const gitCommit = commits.get(path) ?? null
      good.push({ shown, request: { ...read, gitCommit, bump: options.bump, rebuild: options.rebuild } })
    } catch (error) {
      bad.push(failLine(error, shown, { diagnostics: readMessages(error, shown) }))
    }
  }
  return refuseNamesakes({ good, bad })
}

async function loadFile({ path, shown }: FoundFile): Promise<PublishRequest['file']> {
  const bytes = await readBounded(path, MAX_SOURCE, shown)
  if (path === '-' && bytes.length === 0) throw refuseNothing(shown)
  return { bytes, path: path === '-' ? 'stdin' : nameSource(path, shown) }
}

/** A file that is empty is so on purpose; nothing on stdin is most often a command before the pipe that failed. */
function refuseNothing(file: string): CliError {
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
function nameSource(path: string, shown: string): string {
  if (!/^(?:readme|index)(?:\.|$)/i.test(basename(path))) return shown
  const folders = dirname(shown).split(/[/\\]/)
  const isNamed = folders.some((name) => name !== '' && name !== '.' && name !== '..')
  return isNamed ? shown : join(basename(dirname(path)), basename(path))
}

function readMessages(error: unknown, shown: string): PublishLine['diagnostics'] {
  const messages = error instanceof Error && 'messages' in error ? (error.messages as SourceMessage[]) : []
  return messages.map((message) => toDiagnostic(message, shown))
}

function refuseNamesakes({ good, bad }: ReadRequests): ReadRequests {
  const groups = Map.groupBy(good, ({ request }) => request.source.slug)
  const refused = good
    .filter(({ request }) => groups.get(request.source.slug)!.length > 1)
    .map((named) => failLine(...describeNamesake(named, groups.get(named.request.source.slug)!)))
  return {
    good: good.filter(({ request }) => groups.get(request.source.slug)!.length === 1),
    bad: [...bad, ...refused],
  }
}

function describeNamesake(named: NamedRequest, group: readonly NamedRequest[]): Parameters<typeof failLine> {
  const { slug } = named.request.source
  const others = group.filter((other) => other !== named).map((other) => showPlace(other))
  const error = new CliError(
    'duplicate_slug',
    `slug "${slug}" of ${showPlace(named)} is also that of ${others.join(', ')}`,
    'set another slug in the front matter of one of them',
  )
  return [error, named.shown, { slug }]
}

function showPlace({ shown, request }: NamedRequest): string {
  const place = request.source.places.get('slug')
  return place ? `${shown}:${place.line}:${place.column}` : shown
}
