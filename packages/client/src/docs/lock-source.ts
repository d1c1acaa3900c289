import { parsePackName } from '@packs/codec/internal'
import type { ClientError } from '../client-error.ts'
import type { CatalogClient } from '../create-client.ts'
import { type DecodedPack, decodePack } from '../packs/decode-pack.ts'
import type { Lock } from '../types.ts'
import { createMemorySource } from './memory-source.ts'
import { type DocsSource, SourceError, type TokenizerLoader } from './source.ts'

const CONCURRENCY = 4

/** Creates a source of the pins of a lock that were not purged. They are read on first use. */
export function createLockSource(
  client: CatalogClient,
  lock: Lock,
  loadTokenizer: TokenizerLoader,
): DocsSource {
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
