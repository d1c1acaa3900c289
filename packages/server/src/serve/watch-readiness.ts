import type { Catalog, CatalogWatch } from '@packs/catalog'

/** What a server needs to answer requests: a database that answers, and a free connection to it. */
export type ReadinessCheck = 'database' | 'connections'

/**
 * Knows from memory whether a server can answer requests, so that any number of callers may ask.
 */
export interface ReadinessWatch {
  /** Returns the checks that fail now; none if the server is ready. */
  failing(): readonly ReadinessCheck[]
  stop(): void
}

/** Milliseconds without an answer of the database. */
const MAX_SILENCE = 2000
/** Milliseconds of waiting for a connection. */
const MAX_WAIT = 1000

/**
 * Asks the pool of connections all the time, one question at once, until stopped; the watch of the
 * catalog asks the database.
 *
 * Time is counted in steps between two questions. So time in which this process did not run does
 * not count.
 *
 * @param everyMs milliseconds between questions. @default 250
 */
export function watchReadiness(
  catalog: Pick<Catalog, 'waitForConnection'>,
  watch: Pick<CatalogWatch, 'silence'>,
  everyMs = 250,
): ReadinessWatch {
  const connections = createWait(() => catalog.waitForConnection())
  const timer = setInterval(() => connections.pass(everyMs), everyMs).unref()
  return {
    failing: () => [
      ...(watch.silence() >= MAX_SILENCE ? (['database'] as const) : []),
      ...(connections.ms() >= MAX_WAIT ? (['connections'] as const) : []),
    ],
    stop: () => clearInterval(timer),
  }
}

interface Measure {
  /** Lets time pass, and asks again unless a question is open. */
  pass(milliseconds: number): void
  ms(): number
}

/**
 * Measures how long a question is open: the last one or the present one, whichever took longer. A
 * failure ends a question too.
 */
export function createWait(ask: () => Promise<unknown>): Measure {
  let last = 0
  let present = 0
  let isAsking = false
  const settle = (): void => {
    last = present
    isAsking = false
  }
  return {
    pass(milliseconds) {
      if (isAsking) {
        present += milliseconds
        return
      }
      present = 0
      isAsking = true
      ask().then(settle, settle)
    },
    ms: () => Math.max(last, present),
  }
}
