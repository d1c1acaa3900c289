import { afterAll, onTestFinished } from 'vitest'

/** Calls a function when the current test ends; outside of tests, when all tests of the file or group have ended. */
export function closeLater(close: () => unknown): void {
  try {
    onTestFinished(async () => void (await close()))
  } catch {
    afterAll(async () => void (await close()))
  }
}
