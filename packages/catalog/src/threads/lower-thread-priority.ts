import { setPriority } from 'node:os'

/** Nice value of a thread of lower priority. */
const NICENESS = 10

/**
 * Lowers the priority of the calling thread, so that the thread that answers requests goes first. Only Linux has a priority for
 * each thread; elsewhere this does nothing, because it would be that of the process.
 */
export function lowerThreadPriority(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(NICENESS)
  } catch {
    // The thread is only less considerate.
  }
}
