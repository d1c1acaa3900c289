import { setTimeout } from 'node:timers/promises'

const POLL_MS = 20

/**
 * Looks until there is something, and gives it.
 *
 * @param within milliseconds
 * @throws Error that says what was not there in time
 */
export async function waitUntil<T>(
  what: string,
  look: () => T | Promise<T>,
  within = 90_000,
): Promise<Exclude<T, false | null | undefined>> {
  const end = performance.now() + within
  for (;;) {
    const found = await look()
    if (found !== false && found !== null && found !== undefined) {
      return found as Exclude<T, false | null | undefined>
    }
    if (performance.now() > end) throw new Error(`Not within ${within / 1000} s: ${what}`)
    await setTimeout(POLL_MS)
  }
}
