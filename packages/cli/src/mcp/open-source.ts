import { basename } from 'node:path'
import { type DecodedPack, decodePack, type PackSource } from '@packs/client/tools'
import { createMemorySource } from '@packs/mcp'
import type { Command } from 'commander'
import { CliError, usageError } from '../cli-error.ts'
import {
  LOCK_NAME,
  findLock,
  readPins,
  openCatalog,
  openClient,
  type CatalogOptions,
  type OpenCatalog,
} from '../lock/pinned-packs.ts'
import { checkSource } from '../input/read-pack.ts'
import { loadTokenizer } from '../user-cache/load-tokenizer.ts'
import { loadStoredIndex } from '../user-cache/stored-results.ts'
import { openFiles } from '@packs/files'
import { writeNote, writeWarning } from '../output/terminal.ts'

/** Where packs come from, if not from inputs. */
export interface SourceOptions extends CatalogOptions {
  readonly lock: string | undefined
}

/** The input `packs.lock` is taken for `--lock`. */
export function readSourceOptions(command: Command, inputs: readonly string[]): SourceOptions {
  const { url: given, lock: named } = command.opts<Partial<SourceOptions>>()
  const { PACK_URL } = process.env
  const locked = inputs.find((input) => basename(input) === LOCK_NAME)
  if (locked !== undefined && (inputs.length > 1 || named !== undefined))
    throw usageError(
      `the lock ${locked} takes no other inputs`,
      `name only --lock ${locked}, or only the others`,
    )
  const lock = named ?? locked
  const hasInputs = inputs.length > 0 && locked === undefined
  const other = given === undefined ? lock && '--lock' : '--url'
  if (hasInputs && other) throw usageError(`${other} takes no inputs`, `omit the inputs, or ${other}`)
  const url = given ?? (hasInputs || PACK_URL === '' ? undefined : PACK_URL)
  if (!hasInputs && lock === undefined && url === undefined) {
    const hint = 'name a folder, --lock packs.lock, or --url with the URL of a catalog'
    throw usageError('no packs are named', hint)
  }
  return { url, lock }
}

const CONCURRENCY = 4

/** Inputs, options and the lock are checked at once; packs are read when they are first needed. */
export async function openSource(
  inputs: readonly string[],
  { lock: lockFile, ...options }: SourceOptions,
): Promise<PackSource> {
  if (inputs.length > 0 && lockFile === undefined) {
    const { load, loadIndex } = await openFiles(inputs, {
      loadTokenizer,
      loadStored: loadStoredIndex,
      onWarning: writeWarning,
      onNote: writeNote,
    })
    return createMemorySource(load, loadTokenizer, loadIndex)
  }
  if (lockFile !== undefined) {
    const lock = await readPins(findLock(lockFile))
    const catalog = await openCatalog(options, lock)
    return createMemorySource(() => readLocked(catalog, Object.keys(lock.packs)), loadTokenizer)
  }
  const { ClientError } = await import('@packs/client')
  const { createClientSource } = await import('@packs/client/tools')
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
  }
}

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
      await checkSource(pack, slug)
      packs.push(decodePack(pack))
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, readOn))
  return packs
}
