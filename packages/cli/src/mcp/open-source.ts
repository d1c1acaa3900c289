import { decode } from '@packs/codec'
import type { DecodedPack, PackSource } from '@packs/mcp'
import type { Command } from 'commander'
import { CliError, usageError } from '../cli-error.ts'
import {
  findLock,
  readPins,
  openCatalog,
  openClient,
  type CatalogOptions,
  type OpenCatalog,
} from '../lock/pinned-packs.ts'
import { loadTokenizer } from '../user-cache/load-tokenizer.ts'
import { readSource } from '../build-run/read-source.ts'
import { findFiles, type FoundFile } from '../input/find-files.ts'
import { findSources } from '../input/find-sources.ts'
import { describeError } from '../output/report-error.ts'
import { writeWarning } from '../output/terminal.ts'
import { openPacks } from '../input/read-pack.ts'

/** Where packs come from, if not from inputs. */
export interface SourceOptions extends CatalogOptions {
  readonly lock: string | undefined
}

/**
 * Reads the options that say where packs come from.
 *
 * @throws CliError `usage` for none, or for two
 */
export function readSourceOptions(command: Command, inputs: readonly string[]): SourceOptions {
  const { url: given, allowHttp, lock } = command.opts<Partial<SourceOptions>>()
  const { PACK_URL } = process.env
  const hasInputs = inputs.length > 0
  const other = given === undefined ? lock && '--lock' : '--url'
  if (hasInputs && other) throw usageError(`${other} takes no inputs`, `omit the inputs, or ${other}`)
  const url = given ?? (hasInputs || PACK_URL === '' ? undefined : PACK_URL)
  if (!hasInputs && lock === undefined && url === undefined) {
    const hint = 'name a folder, --lock packs.lock, or --url with the URL of a catalog'
    throw usageError('no packs are named', hint)
  }
  return { url, allowHttp, lock }
}

/** Packs of a lock that are requested at the same time. */
const CONCURRENCY = 4

/**
 * Opens the packs that `pack mcp` serves. Inputs, options and the lock are checked at once; packs
 * are read when they are first needed.
 *
 * @throws CliError `no_packs` and those of finding files, ClientError `invalid_lock`,
 *   `invalid_option` and `insecure_url`
 */
export async function openSource(
  inputs: readonly string[],
  { lock: lockFile, ...options }: SourceOptions,
): Promise<PackSource> {
  const { createClientSource, createMemorySource } = await import('@packs/mcp')
  if (inputs.length > 0) {
    const files = await findServedFiles(inputs)
    return createMemorySource(() => readServedFiles(files), loadTokenizer)
  }
  if (lockFile !== undefined) {
    const lock = await readPins(findLock(lockFile))
    const catalog = await openCatalog(options, lock)
    return createMemorySource(() => readLocked(catalog, Object.keys(lock.packs)), loadTokenizer)
  }
  const { ClientError } = await import('@packs/client')
  const { client } = await openClient(options)
  const source = createClientSource(client, loadTokenizer)

  /** Says where the key of this program comes from, instead of how the API gets it. */
  const nameKey = async <Result>(result: Promise<Result>): Promise<Result> => {
    try {
      return await result
    } catch (error) {
      const { code, message } = error as Error & { readonly code?: unknown }
      if (code !== 'missing_api_key' && code !== 'invalid_api_key') throw error
      const what = code === 'missing_api_key' ? 'The catalog needs an API key' : message
      const hint = 'Set PACK_KEY to a valid key, from the Settings page of the catalog.'
      throw new ClientError(code, what, hint, { cause: error })
    }
  }
  return {
    search: (query, options) => nameKey(source.search(query, options)),
    context: (query, options) => nameKey(source.context(query, options)),
    open: (name, signal) => nameKey(source.open(name, signal)),
    list: (offset, limit, signal) => nameKey(source.list(offset, limit, signal)),
  }
}

/**
 * Reads the packs of a lock.
 *
 * @throws CliError `no_packs` if the key gets previews only
 */
async function readLocked(catalog: OpenCatalog, slugs: readonly string[]): Promise<readonly DecodedPack[]> {
  const packs: DecodedPack[] = []
  const waiting = slugs.values()
  const readOn = async (): Promise<void> => {
    for (const slug of waiting) {
      const pack = await catalog.get(slug)
      if (pack.preview)
        throw new CliError(
          'no_packs',
          `${slug} is only a preview`,
          'set PACK_KEY to the key of a Pro account',
        )
      packs.push({ pack, body: decode(pack.content, pack.rosetta) })
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, readOn))
  return packs
}

type ServedFiles = Readonly<Record<'packs' | 'sources', readonly FoundFile[]>>

const PACK = /\.pack\.json$/i

/**
 * Finds packs and markdown: files, globs and folders. A markdown file gets the same slug as in
 * `pack build`.
 *
 * @throws CliError `no_packs` if there is neither, and those of the search
 */
async function findServedFiles(inputs: readonly string[]): Promise<ServedFiles> {
  const cwd = process.cwd()
  const { files, failures } = findFiles(inputs, { cwd, pattern: PACK })
  const [failure] = failures
  if (failure !== undefined) throw failure
  const packs = files.filter(({ path }) => PACK.test(path))
  const others = inputs.filter((input) => !PACK.test(input))
  const sources = others.length === 0 ? [] : await findMarkdown(others, cwd)
  if (packs.length + sources.length > 0) return { packs, sources }
  const hint = 'name packs, markdown files, or a folder that has some'
  throw new CliError('no_packs', `no packs and no markdown in ${inputs.join(', ')}`, hint)
}

async function findMarkdown(inputs: readonly string[], cwd: string): Promise<readonly FoundFile[]> {
  try {
    const { files, failures } = await findSources({ inputs, cwd, folder: '-' })
    const failure = failures.find(({ file }) => file === undefined || !PACK.test(file))
    if (failure !== undefined) throw failure
    return files
  } catch (error) {
    if (error instanceof CliError && error.code === 'no_sources') return []
    throw error
  }
}

/** Reads all files. Skips files that cannot be read and duplicate packs, with a warning. */
async function readServedFiles({ packs, sources }: ServedFiles): Promise<readonly DecodedPack[]> {
  const read = new Map<string, DecodedPack>()
  const add = (shown: string, decoded: DecodedPack): void => {
    const name = `${decoded.pack.slug}@${decoded.pack.version}`
    const known = read.get(name)
    if (known === undefined) read.set(name, decoded)
    else if (known.pack.sha256 !== decoded.pack.sha256)
      writeWarning(`${shown} is skipped: there is another ${name}`)
  }
  const opened = await openPacks(packs, true)
  for (const { shown, pack, body } of opened.packs) add(shown, { pack, body })
  for (const { file, problem } of opened.skipped)
    writeWarning(`${file} is skipped (${problem.code}): ${problem.message}`)
  for (const source of sources) {
    const decoded = await readMarkdown(source)
    if (decoded !== undefined) add(source.shown, decoded)
  }
  return [...read.values()]
}

/**
 * Creates a plain-text pack from a markdown file; undefined, with a warning, for one that cannot be
 * read.
 */
async function readMarkdown(file: FoundFile): Promise<DecodedPack | undefined> {
  let problem: string | undefined
  try {
    const read = await readSource(file)
    const { source, messages } = await read.parse()
    if (source !== undefined) {
      await loadTokenizer(source.tokenizer)
      const { buildPackSync } = await import('@packs/codec/build')
      const { pack } = buildPackSync(source, { scheme: 'none' })
      return pack && { pack, body: decode(pack.content, pack.rosetta) }
    }
    problem = messages.find(({ fatal }) => fatal === true)?.reason
  } catch (error) {
    problem = describeError(error).message
  }
  writeWarning(`${file.shown} is skipped: ${problem ?? 'it cannot be read'}`)
  return undefined
}
