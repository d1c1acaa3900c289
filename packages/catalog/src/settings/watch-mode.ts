import type { Catalog } from '../catalog.ts'
import type { Mode } from '../types.ts'

/** Keeps the operating mode in memory. */
export interface ModeWatch {
  /** Returns the mode that was read last. */
  current(): Mode
  stop(): void
}

export interface WatchOptions {
  /** Milliseconds between reads. @default 250 */
  readonly everyMs?: number
}

/**
 * Polls the operating mode until stopped, so that every replica sees a switch within a second.
 *
 * While the database cannot answer, the last known mode stays in effect.
 *
 * @throws CatalogError if the first read fails
 * @example
 * const mode = await watchMode(catalog)
 * if (mode.current().mode === 'recovery') refuse()
 */
export async function watchMode(
  { settings }: Catalog,
  { everyMs = 250 }: WatchOptions = {},
): Promise<ModeWatch> {
  let mode = await settings.mode()
  let timer = setTimeout(read, everyMs).unref()
  let isStopped = false

  function read(): void {
    settings
      .mode()
      .then(
        (now) => (mode = now),
        () => {},
      )
      .finally(() => {
        if (!isStopped) timer = setTimeout(read, everyMs).unref()
      })
  }

  return {
    current: () => mode,
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}
