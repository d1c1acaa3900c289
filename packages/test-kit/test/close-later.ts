import { afterAll, onTestFinished } from 'vitest'

/**
 * Calls a function when the current test ends; outside of tests, when all tests of the file or group have ended.
 *
 * @returns a function that does so earlier; the function is called only once
 */
export function closeLater(close: () => unknown): () => Promise<void> {
  let closed: Promise<void> | undefined
  const closeOnce = (): Promise<void> => (closed ??= Promise.resolve(close()).then(() => undefined))
  try {
    onTestFinished(closeOnce)
  } catch {
    afterAll(closeOnce)
  }
  return closeOnce
}
