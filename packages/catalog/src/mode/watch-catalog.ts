import type { CatalogState, Mode } from './create-setting-store.ts'

/** Milliseconds that the sequence is kept; a response is out of date for at most this time. */
const MAX_AGE_MS = 50

/** Knows from memory what the database last said, so that any number of callers may ask. */
export interface CatalogWatch {
  /** Returns the mode that was read last. */
  current(): Mode
  /** Returns the sequence of the catalog, at most 50 ms old; synchronously if it is known. */
  sequence(): number | Promise<number>
  /** Milliseconds since the database answered, without those in which this process did not run. */
  silence(): number
  stop(): void
}

export interface WatchOptions {
  /** Milliseconds between questions. @default 250 */
  readonly everyMs?: number
  /** Returns milliseconds that only increase. @default performance.now */
  readonly clock?: () => number
}

/**
 * Asks the database all the time, one question at once, so that every replica sees a switch of the
 * mode within a second. Anyone who needs the sequence sooner shares the question. While the
 * database cannot answer, the last known mode stays in effect.
 * @throws CatalogError if the first question fails
 */
export async function watchCatalog(
  catalog: { state(): Promise<CatalogState> },
  { everyMs = 250, clock = () => performance.now() }: WatchOptions = {},
): Promise<CatalogWatch> {
  let askedAt = clock()
  let silence = 0
  let state = await catalog.state()
  let pending: Promise<CatalogState> | undefined

  const ask = async (): Promise<CatalogState> => {
    const start = clock()
    try {
      state = await catalog.state()
      askedAt = start
      silence = 0
      return state
    } finally {
      pending = undefined
    }
  }
  const isFresh = (): boolean => clock() - askedAt < MAX_AGE_MS
  const timer = setInterval(() => {
    // In steps, so that nobody takes the database for lost because this process was busy.
    silence += everyMs
    if (!isFresh()) (pending ??= ask()).catch(() => undefined)
  }, everyMs).unref()

  return {
    current: () => state.mode,
    sequence: () => (isFresh() ? state.sequence : (pending ??= ask()).then(({ sequence }) => sequence)),
    silence: () => silence,
    stop: () => clearInterval(timer),
  }
}
