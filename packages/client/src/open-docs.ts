import { createDocs, type Docs } from './create-docs.ts'
import { createCatalogSource } from './docs/catalog-source.ts'
import { parsePackName } from '@packs/codec/internal'
import { type DocsSource, loadFromCodec, SourceError, type TokenizerLoader } from './docs/source.ts'
import { checkOptions, type ClientError, optionError, rethrow } from './client-error.ts'
import { assembleClient, type CatalogClient, CLIENT_OPTIONS } from './create-client.ts'
import type { DecodedPack } from './packs/decode-pack.ts'
import type { ClientOptions, Lock } from './types.ts'

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
    ? await openLock(client, lock, loadTokenizer)
    : createCatalogSource(client, loadTokenizer)
  return createDocs(source, loadTokenizer)
}

const CONCURRENCY = 4

/** Creates a source of the pins of a lock that were not purged. They are read on first use. */
async function openLock(
  client: CatalogClient,
  lock: Lock,
  loadTokenizer: TokenizerLoader,
): Promise<DocsSource> {
  const [{ createMemorySource }, { decodePack }] = await Promise.all([
    import('./docs/memory-source.ts'),
    import('./packs/decode-pack.ts'),
  ])
  const purged = new Map<string, SourceError>()
  const explain = (error: unknown, names: readonly string[] = []): never => {
    throw names.map((name) => purged.get(parsePackName(name).pack)).find(Boolean) ?? error
  }
  const source = createMemorySource(async () => {
    const packs: DecodedPack[] = []
    const waiting = Object.keys(lock.packs).values()
    const readOn = async (): Promise<void> => {
      for (const slug of waiting) {
        const pack = await client.packs.get(slug).catch((error: ClientError) => {
          if (error.code !== 'purged_version') throw error
          const hint = `The lock pins it: tell the user to run \`pack update ${slug} --latest\` or \`pack remove ${slug}\`.`
          purged.set(slug, new SourceError(error.code, `${error.message}.`, hint, { cause: error }))
        })
        if (pack) packs.push(decodePack(pack))
      }
    }
    await Promise.all(Array.from({ length: CONCURRENCY }, readOn))
    const [first] = purged.values()
    if (first !== undefined && packs.length === 0) throw first
    for (const { message } of purged.values()) client.warn(`${message} Other packs of the lock are used`)
    return packs
  }, loadTokenizer)
  return {
    ...source,
    open: (name, signal) => source.open(name, signal).catch((error) => explain(error, [name])),
    context: (query, options) =>
      source.context(query, options).catch((error) => explain(error, options.packs)),
  }
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
  const onWarning = (text: string): void => process.emitWarning(text, 'PacksWarning')
  const { load, loadIndex } = await openFiles(paths, { loadTokenizer: loadFromCodec, onWarning }).catch(
    rethrow,
  )
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
