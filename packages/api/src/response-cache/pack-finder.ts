import { hash } from 'node:crypto'
import type { Catalog, VersionRecord } from '@packs/catalog'
import { chooseVersion } from '@packs/codec/internal'

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
export function createPackFinder({ packs, results }: Catalog): PackFinder {
  const find = (
    key: string,
    sequence: number,
    read: () => Promise<VersionRecord | undefined>,
  ): Promise<FoundPack | undefined> =>
    results.obtain(`pack ${key}`, sequence, async () => {
      const version = await read()
      return version && describeVersion(version)
    })

  const readVersion = async (name: string, version: string): Promise<VersionRecord | undefined> => {
    const found = await packs.find(name, version)
    // The pack may change, but this version does not.
    return found && { ...found, updated_at: found.published_at }
  }

  return {
    peekLatest: (name, sequence) => results.peek(`pack ${name}`, sequence),
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
