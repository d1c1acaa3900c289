import { basename, dirname } from 'node:path'
import { buildPack } from '@packs/codec/pack'
import { type DecodedPack, decodePack } from '@packs/client/tools'
import { loadOnce } from '@packs/codec/internal'
import { readSource, type ReadSource } from '../build-run/read-source.ts'
import { CliError } from '../cli-error.ts'
import { findFiles, type FoundFile } from '../input/search-inputs.ts'
import { createConfigurer, findSources } from '../config/resolve-sources.ts'
import { describeFault, openPacks, type PackFile, readPackFiles } from '../input/read-pack.ts'
import { reportDiagnostics } from '../output/report-diagnostics.ts'
import { describeError } from '../output/report-error.ts'
import { formatLeftOut, isPage } from '../output/diagnostic.ts'
import { writeNote, writeWarning } from '../output/terminal.ts'
import { loadStoredIndex } from '../user-cache/stored-results.ts'
import { loadTokenizer } from '../user-cache/load-tokenizer.ts'

interface ServedFiles {
  readonly packs: readonly FoundFile[]
  readonly sources: readonly FoundFile[]
  /** Bytes of sources that the search read, by path. */
  readonly read: ReadonlyMap<string, Uint8Array>
}

const PACK = /\.pack\.json$/i

/** A markdown file gets the same slug as in `pack build`. */
export async function findServedFiles(inputs: readonly string[]): Promise<ServedFiles> {
  const cwd = process.cwd()
  const { files, failures } = findFiles(inputs, { cwd, pattern: PACK })
  const [failure] = failures
  if (failure !== undefined) throw failure
  const packs = files.filter(({ path }) => PACK.test(path))
  const others = inputs.filter((input) => !PACK.test(input))
  const read = new Map<string, Uint8Array>()
  const sources = others.length === 0 ? [] : await findMarkdown(others, cwd, read)
  if (packs.length + sources.length > 0) return { packs, sources, read }
  const hint = 'name packs, markdown files, or a folder that has some'
  throw new CliError('no_packs', `no packs and no markdown in ${inputs.join(', ')}`, hint)
}

async function findMarkdown(
  inputs: readonly string[],
  cwd: string,
  read: Map<string, Uint8Array>,
): Promise<readonly FoundFile[]> {
  try {
    const configure = createConfigurer(undefined, cwd)
    const search = { inputs, cwd, folder: '-', read }
    const { files, failures, messages, leftOut } = await findSources(search, configure)
    const failure = failures.find(({ file }) => file === undefined || !PACK.test(file))
    if (failure !== undefined) throw failure
    reportDiagnostics(
      messages.filter(({ rule }) => rule === 'unread-draft' || rule === 'page-dates'),
      {},
    )
    const skipped = formatLeftOut(leftOut.filter(({ kind }) => isPage(kind)))
    if (skipped !== undefined) writeNote(skipped)
    return files.map(configure)
  } catch (error) {
    if (error instanceof CliError && error.code === 'no_sources') return []
    throw error
  }
}

interface ReadFiles {
  readonly packs: readonly PackFile[]
  readonly sources: readonly SourceFile[]
}

interface SourceFile extends FoundFile {
  /** Digest of what it is built from, or the message of the error of reading it. */
  readonly digest: string
  readonly read: () => Promise<ReadSource>
}

/** Packs of files, and their index, which is kept in the user's cache. Both read each file once. */
export function serveFiles(files: ServedFiles): {
  readonly load: () => Promise<readonly DecodedPack[]>
  readonly loadIndex: (build: () => Promise<Uint8Array>) => Promise<Uint8Array>
} {
  let warnings: readonly string[] = []
  const read = loadOnce(() => readFiles(files))
  const written = new Set<string>()
  const warn = (texts: readonly string[]): void => {
    for (const text of texts) if (!written.has(text)) writeWarning(text)
    for (const text of texts) written.add(text)
  }
  return {
    async load() {
      const decoded = await decodeFiles(await read())
      warnings = decoded.warnings
      warn(warnings)
      return decoded.packs
    },
    async loadIndex(build) {
      const { packs, sources } = await read()
      // The slug and title of a source can depend on the names of the file and its folder.
      const names = sources.map(({ path, defaults }) => [basename(dirname(path)), defaults])
      const digests = [packs, sources].map((list) => list.map(({ shown, digest }) => [shown, digest]))
      const inputs = ['context', digests, names]
      const stored = await loadStoredIndex(inputs, async () => {
        return { index: await build(), notes: warnings }
      })
      warn(stored.notes)
      return stored.index
    },
  }
}

async function readFiles({ packs, sources, read }: ServedFiles): Promise<ReadFiles> {
  const readOne = async (file: FoundFile): Promise<SourceFile> => {
    const reading = readSource(file, read.get(file.path), false)
    const digest = await reading.then((source) => source.digest, describeFault)
    return { ...file, digest, read: () => reading }
  }
  return { packs: await readPackFiles(packs, true), sources: await Promise.all(sources.map(readOne)) }
}

/** Decodes all files. Skips files that cannot be read and duplicate packs, with a warning. */
async function decodeFiles({ packs, sources }: ReadFiles): Promise<{
  readonly packs: readonly DecodedPack[]
  readonly warnings: readonly string[]
}> {
  const skipped: { readonly file: string; readonly why: string }[] = []
  const read = new Map<string, DecodedPack>()
  const add = (file: string, decoded: DecodedPack): void => {
    const name = `${decoded.pack.slug}@${decoded.pack.version}`
    const known = read.get(name)
    if (known === undefined) read.set(name, decoded)
    else if (known.pack.sha256 !== decoded.pack.sha256)
      skipped.push({ file, why: `is skipped: there is another ${name}` })
  }
  const opened = await openPacks(packs, true)
  for (const { shown, ...decoded } of opened.packs) add(shown, decoded)
  for (const { file, problem } of opened.skipped)
    skipped.push({ file, why: `is skipped (${problem.code}): ${problem.message}` })
  for (const source of sources) {
    const decoded = await decodeSource(source)
    if (typeof decoded === 'string') skipped.push({ file: source.shown, why: `is skipped: ${decoded}` })
    else add(source.shown, decoded)
  }
  return { packs: [...read.values()], warnings: foldSkipped(skipped) }
}

const MOST_REASONS = 3

/** A line for each reason, with the first of its files. */
function foldSkipped(skipped: readonly { readonly file: string; readonly why: string }[]): string[] {
  const groups = [...Map.groupBy(skipped, ({ why }) => why).values()]
  const lines = groups.slice(0, MOST_REASONS).map(([first, ...others]) => {
    return `${first!.file} ${first!.why}${others.length === 0 ? '' : ` (and ${others.length} more)`}`
  })
  const rest = groups.slice(MOST_REASONS).flat().length
  return rest === 0 ? lines : [...lines, `${rest} more files are skipped for other reasons`]
}

/** Minifies a markdown file into a pack without terms, or returns why it cannot. */
async function decodeSource({ read }: SourceFile): Promise<DecodedPack | string> {
  const unreadable = 'it cannot be read'
  try {
    const { source, messages } = await (await read()).parse()
    if (source === undefined) return messages.find(({ fatal }) => fatal === true)?.reason ?? unreadable
    await loadTokenizer(source.tokenizer)
    const { pack } = await buildPack({ ...source, glossary: [] }, { scheme: 'minify-1' })
    return pack === undefined ? unreadable : decodePack(pack)
  } catch (error) {
    return describeError(error).message
  }
}
