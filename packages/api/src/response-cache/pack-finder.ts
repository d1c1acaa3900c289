import { hash } from 'node:crypto'
import type { Catalog, VersionRecord } from '@packs/catalog'
import { chooseVersion } from '@packs/codec/verify'
import { LRUCache } from 'lru-cache'

const MAX_CACHED_PACKS = 20_000

/**
 * The cached fields of a version. `plainTokens` counts its body as plain text; `digest` is its
 * `pack_digest`.
 */
export interface FoundPack extends Pick<
  VersionRecord,
  'sequence' | 'slug' | 'version' | 'tokenizer' | 'yanked' | 'updated_at' | 'bytes'
> {
  readonly digest: string
  readonly plainTokens: number
  /** Identifies its state for all tiers: digest, time of the last change, what was added later. */
  readonly tag: string
}

/** Finds packs, and caches them until the catalog changes. */
export interface PackFinder {
  /** Returns the latest version if it is cached. */
  peekLatest(name: string, sequence: number): FoundPack | undefined
  findLatest(name: string, sequence: number): Promise<FoundPack | undefined>
  findVersion(name: string, version: string, sequence: number): Promise<FoundPack | undefined>
  /**
   * Finds the newest version in a range, skipping yanked ones.
   *
   * @throws VersionError `invalid_range`
   */
  findRange(name: string, range: string, sequence: number): Promise<FoundPack | undefined>
}

/** Creates a finder, whose methods take the catalog's `sequence` at the time of the request. */
export function createPackFinder({ packs }: Catalog): PackFinder {
  const cached = new LRUCache<string, FoundPack>({ max: MAX_CACHED_PACKS })
  let current = -1

  const useSequence = (sequence: number): void => {
    if (sequence === current) return
    cached.clear()
    current = sequence
  }

  const find = async (
    key: string,
    sequence: number,
    read: () => Promise<VersionRecord | undefined>,
  ): Promise<FoundPack | undefined> => {
    useSequence(sequence)
    const known = cached.get(key)
    if (known !== undefined) return known
    const version = await read()
    if (version === undefined) return undefined
    const found = describeVersion(version)
    if (sequence === current) cached.set(key, found)
    return found
  }

  const readVersion = async (name: string, version: string): Promise<VersionRecord | undefined> => {
    const found = await packs.find(name, version)
    // The pack may change, but this version does not.
    return found && { ...found, updated_at: found.published_at }
  }

  return {
    peekLatest: (name, sequence) => (sequence === current ? cached.get(name) : undefined),
    findLatest: (name, sequence) => find(name, sequence, () => packs.find(name)),
    findVersion: (name, version, sequence) =>
      find(`${name}@${version}`, sequence, () => readVersion(name, version)),
    findRange: (name, range, sequence) =>
      find(`${name}@ ${range}`, sequence, async () => {
        const chosen = chooseVersion(await packs.versions(name), range)
        return chosen && readVersion(name, chosen.version)
      }),
  }
}

function describeVersion(record: VersionRecord): FoundPack {
  const { sequence, slug, version, tokenizer, yanked, updated_at, bytes, signatures } = record
  const { uncompressed_estimate: plainTokens, pack_digest: digest } = record
  const added = JSON.stringify(signatures)
  const suffix = added === '[]' ? '' : `.${hash('sha256', added, 'base64url').slice(0, 8)}`
  const tag = `${digest.slice(0, 32)}.${Date.parse(updated_at).toString(36)}${suffix}`
  const names = { sequence, slug, version, digest, tag }
  return { ...names, tokenizer, plainTokens, yanked, updated_at, bytes }
}
