import type { Catalog, CatalogWatch } from '@packs/catalog'

/** A server needs a database that responds, and a free connection to it, to answer requests. */
export type ReadinessCheck = 'database' | 'connections'

/** Whether a server can answer requests. The state is in memory, so checking it costs nothing. */
export interface ReadinessWatch {
  /** Returns the checks that currently fail; none if the server is ready. */
  failing(): readonly ReadinessCheck[]
  stop(): void
}

const MAX_SILENCE = 2000
const MAX_WAIT = 1000

/**
 * Asks the connection pool for a connection again and again; the catalog watch checks the database.
 * Time is counted in steps between two checks, so time in which this process did not run does not
 * count.
 * @param everyMs milliseconds between checks. @default 250
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
  /** Lets time pass, and asks again unless a request is pending. */
  pass(milliseconds: number): void
  ms(): number
}

/** Measures the last or the pending request, whichever is longer. A failure ends one too. */
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
