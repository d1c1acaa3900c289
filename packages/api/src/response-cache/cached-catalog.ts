import type { Catalog, PackVersion } from '@packs/catalog'

/** Milliseconds that the catalog's sequence is cached; a response is out of date for at most this time. */
const SEQUENCE_MILLISECONDS = 50
const MAX_CACHED_PACKS = 20_000

/** A version of a pack, without its texts. */
export interface FoundPack {
  readonly id: string
  readonly version: string
  readonly yanked: boolean
  /** Identifies its state for all tiers: digest and time of the last change. */
  readonly tag: string
  /** Reads the version with its texts. */
  readonly load: () => Promise<PackVersion>
}

/** Finds packs, and caches them until the catalog changes. */
export interface PackFinder {
  /** Returns the latest version if it is cached. */
  peekLatest(name: string, sequence: number): FoundPack | undefined
  findLatest(name: string, sequence: number): Promise<FoundPack | undefined>
  findVersion(name: string, version: string, sequence: number): Promise<FoundPack | undefined>
}

/** Creates a finder. Its methods take the catalog's `sequence` at the time of the request. */
export function createPackFinder({ packs }: Catalog): PackFinder {
  const cached = new Map<string, FoundPack>()
  let current = -1

  const useSequence = (sequence: number): void => {
    if (sequence === current) return
    cached.clear()
    current = sequence
  }

  const find = async (
    key: string,
    sequence: number,
    read: () => Promise<PackVersion | undefined>,
  ): Promise<FoundPack | undefined> => {
    useSequence(sequence)
    const known = cached.get(key)
    if (known !== undefined) return known
    const version = await read()
    if (version === undefined) return undefined
    const found = describeVersion(version)
    if (sequence === current) {
      if (cached.size >= MAX_CACHED_PACKS) cached.clear()
      cached.set(key, dropTexts(found))
    }
    return found
  }

  /** A version never changes; `updated_at` is that of its pack when it was found. */
  const reload = async (id: string, version: string, updated_at: string): Promise<PackVersion> => {
    const loaded = await packs.version(id, version)
    if (loaded === undefined) throw new Error('A version that was found no longer exists')
    return { ...loaded, updated_at }
  }

  const dropTexts = ({ load: _load, ...lean }: DescribedPack): FoundPack => ({
    ...lean,
    load: () => reload(lean.id, lean.version, lean.updated_at),
  })

  return {
    peekLatest: (name, sequence) => (sequence === current ? cached.get(name) : undefined),
    findLatest: (name, sequence) => find(name, sequence, () => packs.latest(name)),
    findVersion: (name, version, sequence) =>
      find(`${name}@${version}`, sequence, async () => {
        const found = await packs.version(name, version)
        // The pack may change, but this version does not.
        return found && { ...found, updated_at: found.published_at }
      }),
  }
}

type DescribedPack = FoundPack & { readonly updated_at: string }

function describeVersion(version: PackVersion): DescribedPack {
  const { id, yanked, updated_at } = version
  const time = Date.parse(updated_at).toString(36)
  const tag = `${version.pack_digest.slice(0, 32)}.${time}`
  return { id, version: version.version, yanked, tag, updated_at, load: () => Promise.resolve(version) }
}

/** Returns the sequence of the catalog, synchronously if it is cached. */
export type SequenceReader = () => number | Promise<number>

/**
 * Creates a reader that queries the database at most twenty times a second.
 *
 * @param clock returns milliseconds that only increase. @default performance.now
 */
export function createSequenceReader(
  catalog: Catalog,
  clock: () => number = () => performance.now(),
): SequenceReader {
  let sequence = 0
  let readAt = -Infinity
  let pending: Promise<number> | undefined

  const read = async (): Promise<number> => {
    const start = clock()
    try {
      sequence = await catalog.sequence()
      readAt = start
      return sequence
    } finally {
      pending = undefined
    }
  }

  return () => {
    if (clock() - readAt < SEQUENCE_MILLISECONDS) return sequence
    pending ??= read()
    return pending
  }
}
