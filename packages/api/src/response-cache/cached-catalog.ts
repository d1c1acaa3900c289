import type { Catalog, PackVersion } from '@packs/catalog'

/** A pack that was found, without its texts. */
export interface FoundPack {
  readonly id: string
  readonly version: string
  readonly yanked: boolean
  /** Names what is shown of it, whatever the tier: digest and time of the last change. */
  readonly tag: string
  /** Reads it with its texts. */
  readonly load: () => Promise<PackVersion>
}

/** Finds packs; what was found is kept until the catalog changes. */
export interface PackFinder {
  /** The latest version, where it is known without asking. */
  peekLatest(name: string, sequence: number): FoundPack | undefined
  findLatest(name: string, sequence: number): Promise<FoundPack | undefined>
  findVersion(name: string, version: string, sequence: number): Promise<FoundPack | undefined>
}

const MAX_CACHED_PACKS = 20_000

/** Creates a finder; `sequence` is that of the catalog when the caller asked. */
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

  /** A version never changes; when its pack did is told as it was found. */
  const reload = async (id: string, version: string, updated_at: string): Promise<PackVersion> => {
    const loaded = await packs.version(id, version)
    if (loaded === undefined) throw new Error('A version that was found is gone')
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
        // Its pack changes, what stands under its number does not.
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

/** Milliseconds that the catalog's sequence is taken for true: so old can an answer be. */
const SEQUENCE_MILLISECONDS = 50

/** Gives the sequence of the catalog, at once where it was read a moment ago. */
export type SequenceReader = () => number | Promise<number>

/** Creates a reader that asks the database twenty times a second at most, however many ask it. */
export function createSequenceReader(catalog: Catalog): SequenceReader {
  let sequence = 0
  let readAt = -Infinity
  let pending: Promise<number> | undefined

  const read = async (): Promise<number> => {
    const start = performance.now()
    try {
      sequence = await catalog.sequence()
      readAt = start
      return sequence
    } finally {
      pending = undefined
    }
  }

  return () => {
    if (performance.now() - readAt < SEQUENCE_MILLISECONDS) return sequence
    pending ??= read()
    return pending
  }
}
