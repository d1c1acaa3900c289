import { hash } from 'node:crypto'
import { basename, dirname, resolve } from 'node:path'
import { loadOnce } from '@packs/codec/internal'
import { foldReasons, formatLeftOut, isPage, type Reason } from './diagnostic.ts'
import { FilesError } from './files-error.ts'
import { findFiles, type FoundFile } from './inputs/find-files.ts'
import { MAX_PACK_BYTES, readBounded } from './inputs/read-bounded.ts'
import type { OpenedPack, OpenOptions, TokenizerLoader } from './decode-text.ts'
import type { ReadFile, ReadFiles } from './decode-files.ts'
import type { Pack } from '@packs/codec/pack'
import { createSiteFinder } from './sources/find-site.ts'
import { findSources } from './sources/find-sources.ts'
import { type ReadSource, readSourceFile } from './sources/read-source.ts'

/** An index of files, with warnings about reading them. */
interface StoredIndex {
  readonly index: Uint8Array
  readonly notes: readonly string[]
}

export interface OpenFilesOptions {
  /** Folder that inputs are relative to. @default that of the process */
  readonly cwd?: string
  readonly loadTokenizer: TokenizerLoader
  /**
   * Keeps an index between runs.
   * @param inputs everything besides the program that the index depends on
   * @default the index is built each time
   */
  readonly loadStored?: (inputs: unknown, build: () => Promise<StoredIndex>) => Promise<StoredIndex>
  readonly onWarning?: (text: string) => void
  readonly onNote?: (text: string) => void
}

/** Packs of files, and their index. Both read each file once. */
export interface OpenedFiles {
  /** Names of the files in messages, in the order of `stream`. */
  readonly shown: readonly string[]
  /**
   * Reads, checks and opens one pack after the other.
   * @throws FilesError for the first that `load` would skip, and for one whose fields do not match
   *   its `pack_digest`
   */
  readonly stream: () => AsyncGenerator<OpenedPack>
  readonly load: () => Promise<readonly OpenedPack[]>
  readonly loadIndex: (build: () => Promise<Uint8Array>) => Promise<Uint8Array>
}

const PACK = /\.pack\.json$/i

/**
 * Opens packs, markdown, globs and folders. Inputs are checked at once, files are read on demand.
 * What a folder or glob has that cannot be found is skipped, with a warning. Never runs code of a
 * folder: its configuration is not read. A markdown file gets the slug that `pack build` gives it.
 * @throws FilesError
 */
export async function openFiles(inputs: readonly string[], options: OpenFilesOptions): Promise<OpenedFiles> {
  const { loadTokenizer, loadStored, onWarning } = options
  const found = await findInputs(inputs, options)
  const read = loadOnce(() => readFiles(found, (text) => onWarning?.(text)))
  let warnings: readonly string[] = []
  const written = new Set<string>()
  const warn = (texts: readonly string[]): void => {
    for (const text of texts) if (!written.has(text)) onWarning?.(text)
    for (const text of texts) written.add(text)
  }
  return {
    shown: [...found.packs, ...found.sources].map((file) => file.shown),
    async *stream() {
      const { decodeSource } = await import('./decode-files.ts')
      for (const { path, shown } of found.packs) {
        const bytes = await readBounded(path, MAX_PACK_BYTES, shown)
        yield openPack(bytes, shown, { loadTokenizer, isWhole: true })
      }
      for (const file of found.sources) {
        const read = readSourceFile(file, found.read.get(file.path), false)
        yield decodeSource(file.shown, await read, loadTokenizer)
      }
    },
    async load() {
      const { decodeFiles } = await import('./decode-files.ts')
      const decoded = await decodeFiles(await read(), loadTokenizer)
      warnings = decoded.warnings
      warn(warnings)
      if (decoded.packs.length > 0) return decoded.packs
      const hint = 'correct it; get a pack again, or build it from its source'
      throw new FilesError('no_packs', `no file can be read: ${warnings[0]}`, hint)
    },
    async loadIndex(build) {
      if (loadStored === undefined) return build()
      const { packs, sources } = await read()
      // The slug and title of a source can depend on the names of the file and its folder.
      const names = sources.map(({ path, defaults }) => [basename(dirname(path)), defaults])
      const digests = [packs, sources].map((list) => list.map(({ shown, digest }) => [shown, digest]))
      const stored = await loadStored(['context', digests, names], async () => {
        return { index: await build(), notes: warnings }
      })
      warn(stored.notes)
      return stored.index
    },
  }
}

interface FoundInputs {
  readonly packs: readonly FoundFile[]
  readonly sources: readonly FoundFile[]
  /** Bytes of sources that the search read, by path. */
  readonly read: ReadonlyMap<string, Uint8Array>
}

async function findInputs(inputs: readonly string[], options: OpenFilesOptions): Promise<FoundInputs> {
  const { cwd = process.cwd(), onWarning } = options
  const named = new Set(inputs.map((input) => resolve(cwd, input)))
  const skipped = new Map<string, Reason>()
  const skip = (failures: readonly FilesError[]): void => {
    for (const failure of failures) {
      const { file = '', message } = failure
      if (named.has(resolve(cwd, file))) throw failure
      skipped.set(file, { file, why: `is skipped: ${message.replace(file, 'it')}` })
    }
  }
  const { files, failures } = findFiles(inputs, { cwd, pattern: PACK })
  skip(failures)
  const packs = files.filter(({ path }) => PACK.test(path))
  const others = inputs.filter((input) => !PACK.test(input))
  const read = new Map<string, Uint8Array>()
  const sources = others.length === 0 ? [] : await findMarkdown(others, { ...options, cwd }, read, skip)
  for (const line of foldReasons([...skipped.values()])) onWarning?.(line)
  if (packs.length + sources.length > 0) return { packs, sources, read }
  const hint = 'name packs, markdown files, or a folder that has some'
  throw new FilesError('no_packs', `no packs and no markdown in ${inputs.join(', ')}`, hint)
}

async function findMarkdown(
  inputs: readonly string[],
  { cwd, onWarning, onNote }: OpenFilesOptions & { readonly cwd: string },
  read: Map<string, Uint8Array>,
  skip: (failures: readonly FilesError[]) => void,
): Promise<readonly FoundFile[]> {
  const configure = createConfigurer(cwd)
  try {
    const found = await findSources({ inputs, cwd, folder: '-', read }, configure)
    skip(found.failures.filter(({ file = '' }) => !PACK.test(file)))
    const tell = (kind: string, write: ((text: string) => void) | undefined): void => {
      const reasons = found.messages.filter(({ rule }) => rule === kind)
      const lines = reasons.map(({ file, message }) => ({ file: `${file}:`, why: message }))
      for (const line of foldReasons(lines, 'more messages')) write?.(line)
    }
    tell('unread-draft', onWarning)
    tell('page-dates', onNote)
    const skipped = formatLeftOut(found.leftOut.filter(({ kind }) => isPage(kind)))
    if (skipped !== undefined) onNote?.(skipped)
    return found.files.map(configure)
  } catch (error) {
    if (error instanceof FilesError && error.code === 'no_sources') return []
    throw error
  }
}

/** Adds what the site of a page says about it. */
function createConfigurer(cwd: string): (file: FoundFile) => FoundFile {
  const findSite = createSiteFinder()
  return (file) => {
    const { path, includeFolder = cwd, slugPath = '', defaults } = file
    if (path === '-') return file
    const from = slugPath === '' ? cwd : path.slice(0, -slugPath.length)
    const site = findSite(path, [cwd, includeFolder], from)
    const dialect = site.dialects
    return { ...file, site, defaults: { ...(dialect.length > 0 && { minify: { dialect } }), ...defaults } }
  }
}

/** A page whose includes cannot be resolved is read as it is: it has text that answers. */
async function readPage(
  file: FoundFile,
  bytes: Uint8Array | undefined,
  warn: (text: string) => void,
): Promise<ReadSource> {
  try {
    return await readSourceFile(file, bytes, false)
  } catch (error) {
    if (!(error instanceof FilesError) || error.code !== 'include_failed') throw error
    warn(`${error.message}; the page is read without its includes`)
    const { includeFolder: _, ...plain } = file
    return readSourceFile(plain, bytes, false)
  }
}

async function readFiles(
  { packs, sources, read }: FoundInputs,
  warn: (text: string) => void,
): Promise<ReadFiles> {
  const readOne = async <Content>(
    file: FoundFile,
    reading: Promise<Content>,
    digestOf: (content: Content) => string,
  ): Promise<FoundFile & ReadFile<Content>> => {
    const digest = await reading.then(digestOf, (error: Error) => error.message)
    return { ...file, digest, read: () => reading }
  }
  const readPacks: ReadFile<Uint8Array>[] = []
  for (const file of packs) {
    const reading = readBounded(file.path, MAX_PACK_BYTES, file.shown)
    readPacks.push(await readOne(file, reading, (bytes) => hash('sha256', bytes)))
  }
  const readSources = sources.map((file) =>
    readOne(file, readPage(file, read.get(file.path), warn), ({ digest }) => digest),
  )
  return { packs: readPacks, sources: await Promise.all(readSources) }
}

/** Opens a pack as {@link OpenOptions} say. What validates packs is loaded on demand. */
export async function openPack(bytes: Uint8Array, shown: string, options: OpenOptions): Promise<OpenedPack> {
  return (await import('./decode-files.ts')).openPack(bytes, shown, options)
}

/** Refuses a pack whose patch shows people another text than models read, whatever its digests. */
export async function checkSource(
  document: unknown,
  shown: string,
  loadTokenizer: TokenizerLoader,
): Promise<void> {
  await (await import('./decode-files.ts')).checkSource(document, shown, loadTokenizer)
}

/** Parses a document, also as the API gives it: with null and [] for what it does not have. */
export async function parseDocument(value: unknown): Promise<Pack> {
  return (await import('./decode-files.ts')).parseDocument(value)
}
