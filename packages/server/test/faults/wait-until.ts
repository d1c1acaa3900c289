import { setTimeout } from 'node:timers/promises'

const POLL_MS = 20

/**
 * Polls until the check returns a value other than `false`, `null` or `undefined`, and returns it.
 *
 * @param within milliseconds
 * @throws Error that names the condition if it is not met in time
 */
export async function waitUntil<T>(
  condition: string,
  check: () => T | Promise<T>,
  within = 90_000,
): Promise<Exclude<T, false | null | undefined>> {
  const end = performance.now() + within
  for (;;) {
    const found = await check()
    if (found !== false && found !== null && found !== undefined) {
      return found as Exclude<T, false | null | undefined>
    }
    if (performance.now() > end) throw new Error(`Not within ${within / 1000} s: ${condition}`)
    await setTimeout(POLL_MS)
  }
}
