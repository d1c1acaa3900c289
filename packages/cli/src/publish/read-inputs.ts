import { createHash } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import { loadSource } from '@packs/codec/internal'
import type { Source } from '@packs/codec/pack'
import { type Diagnostic, type FoundFile, type FoundFiles, readSourceFile, runGit } from '@packs/files'
import type { SourceInput } from '@packs/server'
import { locateMessages } from '../build-run/create-requests.ts'
import { CliError } from '../cli-error.ts'
import { toDiagnostic } from '../output/diagnostic.ts'
import { failedOutcome, type PublishOutcome, type ReadText } from './report-publish.ts'

/** A source to publish. */
export interface ReadInput extends SourceInput, ReadText {
  readonly source: Source
}

export interface ReadInputs {
  readonly inputs: readonly ReadInput[]
  readonly failures: readonly PublishOutcome[]
}

/** Sources that cannot be read, or that share a slug, do not stop the others. */
export async function readInputs(found: FoundFiles): Promise<ReadInputs> {
  const paths = found.files.map(({ path }) => path).filter((path) => path !== '-')
  const committed = await findCommittedFiles(paths)
  const inputs: ReadInput[] = []
  const failures = found.failures.map((error) => failedOutcome(error, error.file ?? '<stdin>'))
  for (const one of found.files) {
    const { shown } = one
    try {
      const { file, messages, place } = await loadFile(one)
      const parsed = await loadSource(file.bytes, file)
      if (parsed.source === undefined) {
        const diagnostics = place(parsed.messages.map((message) => toDiagnostic(message, shown)))
        failures.push(failedOutcome(sourceError(file.path, diagnostics), shown, { diagnostics }))
        continue
      }
      const entry = committed.get(one.path)
      const gitCommit = entry && hasBytes(entry, file.bytes) ? entry.commit : null
      inputs.push({ shown, file, source: parsed.source, gitCommit, messages, place })
    } catch (error) {
      failures.push(failedOutcome(error, shown))
    }
  }
  return failDuplicateSlugs({ inputs, failures })
}

function sourceError(path: string, messages: readonly Diagnostic[]): CliError {
  const [first, ...others] = messages.filter(({ severity }) => severity === 'error')
  const count = others.length === 0 ? 'an error' : `${others.length + 1} errors, the first`
  const problem = `${path} has ${count} on line ${first?.line ?? 1}: ${first?.rule ?? 'source'}`
  return new CliError('bad_source', problem, 'Run `pack build` on it to see what is wrong, and correct it.')
}

export async function loadFile(source: FoundFile): Promise<Pick<ReadInput, 'file' | 'messages' | 'place'>> {
  const { path, shown, defaults } = source
  const { bytes, messages, findLine } = await readSourceFile(source)
  if (path === '-' && bytes.length === 0) {
    // An empty file may be intended; empty stdin usually means that the command before the pipe failed.
    const hint = 'pipe a source into the command, or name a file (an empty file is accepted)'
    throw new CliError('empty_source', 'stdin is empty', hint, { file: shown })
  }
  const name = path === '-' ? 'stdin' : choosePath(path, shown)
  return {
    file: { bytes, path: name, ...(defaults && { defaults }) },
    messages,
    place: (diagnostics) => locateMessages(diagnostics, { findLine }),
  }
}

/** The slug of a README comes from its folder, which its path must name even if it is this one. */
function choosePath(path: string, shown: string): string {
  if (!/^(?:readme|_?index)(?:\.|$)/i.test(basename(path))) return shown
  const folders = dirname(shown).split(/[/\\]/)
  const isNamed = folders.some((name) => name !== '' && name !== '.' && name !== '..')
  return isNamed ? shown : join(basename(dirname(path)), basename(path))
}

function failDuplicateSlugs({ inputs, failures }: ReadInputs): ReadInputs {
  const groups = Map.groupBy(inputs, ({ source }) => source.slug)
  const duplicates = inputs
    .filter(({ source }) => groups.get(source.slug)!.length > 1)
    .map((input) => {
      const { slug } = input.source
      return failedOutcome(duplicateSlugError(input, groups.get(slug)!), input.shown, { slug })
    })
  return {
    inputs: inputs.filter(({ source }) => groups.get(source.slug)!.length === 1),
    failures: [...failures, ...duplicates],
  }
}

function duplicateSlugError(input: ReadInput, group: readonly ReadInput[]): CliError {
  const others = group.filter((other) => other !== input).map((other) => formatLocation(other))
  const problem = `${formatLocation(input)} has the same slug, "${input.source.slug}", as ${others.join(', ')}`
  return new CliError('duplicate_slug', problem, 'set a different slug in the front matter of one of them')
}

function formatLocation({ shown, source }: ReadInput): string {
  const position = source.positions.get('slug')
  return position ? `${shown}:${position.line}:${position.column}` : shown
}

const FILES_PER_CALL = 200
const MAX_LISTING_BYTES = 16 * 1024 * 1024

interface CommittedFile {
  readonly commit: string
  readonly objectId: string
}

/** Finds files in the last commit of their repository; skips links and uncommitted files. */
async function findCommittedFiles(paths: readonly string[]): Promise<ReadonlyMap<string, CommittedFile>> {
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
