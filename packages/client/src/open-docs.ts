import { createDocs, type Docs } from './create-docs.ts'
import { createCatalogSource } from './docs/catalog-source.ts'
import { loadFromCodec, type TokenizerLoader } from './docs/source.ts'
import { checkOptions, optionError, rethrow } from './client-error.ts'
import { assembleClient, type CatalogClient, CLIENT_OPTIONS } from './create-client.ts'
import type { DecodedPack } from './packs/decode-pack.ts'
import { defaultPorts } from './requests/send-request.ts'
import type { ClientOptions } from './types.ts'

/**
 * Opens documents to ask: a folder of markdown or packs, a file, several of these, a `packs.lock`,
 * or a catalog. No code of a folder runs: its `packs.config` is not read. Files are read on first
 * use, and once; those that cannot be read are skipped, with a warning of the process.
 * @param from paths, or a path; or for a catalog its `url` and `key`; with a `lock` its pins are
 *   read, from the cache or else from the catalog
 * @throws ClientError `invalid_option`, `insecure_url`, `invalid_lock`; for paths the codes of
 *   docs/errors.md such as `file_not_found`
 * @example
 * const docs = await openDocs('docs/')
 * const { text } = await docs.context('how do I rotate a certificate', { budget: 2000 })
 */
export async function openDocs(from: string | readonly string[] | ClientOptions): Promise<Docs> {
  if (typeof from === 'string' || Array.isArray(from)) return openPaths([from].flat() as string[])
  const isObject: boolean = typeof from === 'object' && from !== null
  if (!isObject) throw optionError('of openDocs', WHAT)
  checkOptions('openDocs', from, CLIENT_OPTIONS)
  return openClientDocs(assembleClient(from as ClientOptions))
}

/** Opens the documents of a catalog; of a client with a lock, its pins only. */
export async function openClientDocs(
  client: CatalogClient,
  loadTokenizer: TokenizerLoader = loadFromCodec,
): Promise<Docs> {
  const lock = await client.getLock()
  const source = lock
    ? (await import('./docs/lock-source.ts')).createLockSource(client, lock, loadTokenizer)
    : createCatalogSource(client, loadTokenizer)
  return createDocs(source, loadTokenizer)
}

const WHAT = 'a path, paths, or { url, key } of a catalog'

async function openPaths(paths: readonly string[]): Promise<Docs> {
  const [only] = paths
  if (paths.length === 1 && String(only).endsWith('.lock')) return openDocs({ lock: only! })
  const isWrong = (path: unknown): boolean => typeof path !== 'string' || /^$|^https?:|\.lock$/.test(path)
  if (paths.length === 0 || paths.some(isWrong)) throw optionError('of openDocs', WHAT)
  // The name is not a literal, so that bundlers for browsers do not try to resolve it.
  const name = '@packs/files'
  const { openFiles } = await (
    import(/* @vite-ignore */ /* webpackIgnore: true */ name) as Promise<FilesEntry>
  ).catch(() => {
    throw optionError('of openDocs', 'a catalog: paths need Node, Deno or Bun')
  })
  const { createMemorySource } = await import('./docs/memory-source.ts')
  const options = { loadTokenizer: loadFromCodec, onWarning: defaultPorts.warn }
  const { load, loadIndex } = await openFiles(paths, options).catch(rethrow)
  return createDocs(createMemorySource(load, loadFromCodec, loadIndex), loadFromCodec)
}

/** What is used of `@packs/files`. */
interface FilesEntry {
  readonly openFiles: (
    paths: readonly string[],
    options: {
      readonly loadTokenizer: typeof loadFromCodec
      readonly onWarning: (text: string) => void
    },
  ) => Promise<{
    readonly load: () => Promise<readonly DecodedPack[]>
    readonly loadIndex: (build: () => Promise<Uint8Array>) => Promise<Uint8Array>
  }>
}
