import { constants } from 'node:os'

/** Waits for SIGINT or SIGTERM, which then no longer end the program at once; a second one does. */
export async function waitForSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.removeAllListeners(signal)
      process.once(signal, () => {
        for (const next of ['SIGINT', 'SIGTERM'] as const) {
          process.removeAllListeners(next)
          process.once(next, () => process.exit(128 + constants.signals[next]))
        }
        resolve(signal)
      })
    }
  })
}
