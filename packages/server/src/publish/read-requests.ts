import { basename, dirname, join } from 'node:path'
import type { PublishRequest, SourceMessage, VersionLevel } from '@packs/publisher'
import { CommandError } from '../command-error.ts'
import type { FoundSource, FoundSources, Host, ReadText } from '../host.ts'
import { readOperator } from '../services/open-services.ts'
import { failedOutcome, type PublishOutcome } from './report-publish.ts'
import { createHash } from 'node:crypto'

export interface SourceRequest extends Pick<ReadText, 'messages' | 'place'> {
  readonly shown: string
  readonly request: PublishRequest
}

export interface ReadRequests {
  readonly requests: readonly SourceRequest[]
  readonly failures: readonly PublishOutcome[]
}

/** Sources that cannot be read, or that share a slug, do not stop the others. */
export async function readRequests(
  host: Host,
  found: FoundSources,
  options: { readonly bump?: VersionLevel; readonly rebuild?: boolean },
): Promise<ReadRequests> {
  const { readSource } = await import('@packs/publisher')
  const paths = found.files.map(({ path }) => path).filter((path) => path !== '-')
  const committed = await findCommittedFiles(host, paths)
  const { bump, rebuild } = options
  const actor = readOperator()
  const requests: SourceRequest[] = []
  const failures = found.failures.map((error) => failedOutcome(host, error, error.file ?? '<stdin>'))
  for (const source of found.files) {
    const { path, shown, defaults } = source
    let place: ReadText['place'] = (diagnostics) => diagnostics
    try {
      const { file, messages, ...text } = await loadFile(host, source)
      place = text.place
      const read = readSource({ ...file, ...(defaults && { defaults }) })
      const entry = committed.get(path)
      const gitCommit = entry && hasBytes(entry, file.bytes) ? entry.commit : null
      requests.push({ shown, messages, place, request: { ...read, gitCommit, bump, rebuild, actor } })
    } catch (error) {
      const diagnostics = place(readDiagnostics(host, error, shown))
      failures.push(failedOutcome(host, error, shown, { diagnostics }))
    }
  }
  return failDuplicateSlugs(host, { requests, failures })
}

export async function loadFile(
  host: Host,
  source: FoundSource,
): Promise<Pick<ReadText, 'messages' | 'place'> & { readonly file: PublishRequest['file'] }> {
  const { path, shown } = source
  const { bytes, messages, place } = await host.readSource(source)
  if (path === '-' && bytes.length === 0) {
    // An empty file may be intended; empty stdin usually means that the command before the pipe failed.
    const hint = 'pipe a source into the command, or name a file (an empty file is accepted)'
    throw new CommandError('empty_source', 'stdin is empty', hint, { file: shown })
  }
  const file = { bytes, path: path === '-' ? 'stdin' : choosePath(path, shown) }
  return { file, messages, place }
}

/** The slug of a README comes from its folder, which its path must name even if it is this one. */
function choosePath(path: string, shown: string): string {
  if (!/^(?:readme|_?index)(?:\.|$)/i.test(basename(path))) return shown
  const folders = dirname(shown).split(/[/\\]/)
  const isNamed = folders.some((name) => name !== '' && name !== '.' && name !== '..')
  return isNamed ? shown : join(basename(dirname(path)), basename(path))
}

function readDiagnostics(host: Host, error: unknown, shown: string): PublishOutcome['diagnostics'] {
  const messages = error instanceof Error && 'messages' in error ? (error.messages as SourceMessage[]) : []
  return messages.map((message) => host.toDiagnostic(message, shown))
}

function failDuplicateSlugs(host: Host, { requests, failures }: ReadRequests): ReadRequests {
  const groups = Map.groupBy(requests, ({ request }) => request.source.slug)
  const duplicates = requests
    .filter(({ request }) => groups.get(request.source.slug)!.length > 1)
    .map((source) => {
      const { slug } = source.request.source
      return failedOutcome(host, duplicateSlugError(source, groups.get(slug)!), source.shown, { slug })
    })
  return {
    requests: requests.filter(({ request }) => groups.get(request.source.slug)!.length === 1),
    failures: [...failures, ...duplicates],
  }
}

function duplicateSlugError(source: SourceRequest, group: readonly SourceRequest[]): CommandError {
  const { slug } = source.request.source
  const others = group.filter((other) => other !== source).map((other) => formatLocation(other))
  const problem = `${formatLocation(source)} has the same slug, "${slug}", as ${others.join(', ')}`
  const hint = 'set a different slug in the front matter of one of them'
  return new CommandError('duplicate_slug', problem, hint)
}

function formatLocation({ shown, request }: SourceRequest): string {
  const position = request.source.positions.get('slug')
  return position ? `${shown}:${position.line}:${position.column}` : shown
}

const FILES_PER_CALL = 200
const MAX_LISTING_BYTES = 16 * 1024 * 1024

interface CommittedFile {
  readonly commit: string
  readonly objectId: string
}

/** Finds files in the last commit of their repository; skips links and uncommitted files. */
async function findCommittedFiles(
  { runGit }: Pick<Host, 'runGit'>,
  paths: readonly string[],
): Promise<ReadonlyMap<string, CommittedFile>> {
  const read = (folder: string, args: readonly string[]): Promise<string> =>
    runGit(folder, args, MAX_LISTING_BYTES).then(
      (bytes) => new TextDecoder().decode(bytes),
      () => '',
    )
  const found = new Map<string, CommittedFile>()
  for (const [folder, files] of Map.groupBy(paths, (path) => dirname(path))) {
    const commit = (await read(folder, ['rev-parse', '--verify', 'HEAD'])).trim()
    if (!/^[0-9a-f]{40,64}$/.test(commit)) continue
    for (let at = 0; at < files.length; at += FILES_PER_CALL) {
      const batch = files.slice(at, at + FILES_PER_CALL)
      const names = batch.map((file) => basename(file))
      const lines = (await read(folder, ['ls-tree', '-z', commit, '--', ...names])).split('\0')
      const entries = lines.map((line) => /^100\d{3} blob ([0-9a-f]+)\t(.+)$/s.exec(line))
      const ids = new Map(entries.map((entry) => [entry?.[2], entry?.[1]]))
      for (const file of batch) {
        const objectId = ids.get(basename(file))
        if (objectId !== undefined) found.set(file, { commit, objectId })
      }
    }
  }
  return found
}

/** Hashed here, because git would run the repository's filters. */
function hasBytes({ objectId }: CommittedFile, bytes: Uint8Array): boolean {
  const hash = createHash(objectId.length === 40 ? 'sha1' : 'sha256')
  return hash.update(`blob ${bytes.length}\0`).update(bytes).digest('hex') === objectId
}
