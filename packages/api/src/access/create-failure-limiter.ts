import { isIPv6 } from 'node:net'
import { readClientAddress } from '../request/read-client-address.ts'

const WINDOW = 60_000
const MOST_ADDRESSES = 100_000

/** Counts failed keys by address. */
export interface FailureLimiter {
  /** Seconds to wait where the address has used up its failures; 0 where it may go on. */
  wait(address: string, now: number): number
  fail(address: string, now: number): void
}

/**
 * Creates a limiter that allows so many failures within a minute from the first one; memory is bounded, the oldest
 * windows go first. An IPv6 client has a whole /64, so that is what counts as an address.
 *
 * @param most failures a minute
 */
export function createFailureLimiter(most: number): FailureLimiter {
  const windows = new Map<string, { readonly start: number; failures: number }>()
  return {
    wait(address, now) {
      if (windows.size === 0) return 0
      const window = windows.get(nameNetwork(address))
      if (window === undefined || now - window.start >= WINDOW || window.failures < most) return 0
      return Math.max(1, Math.ceil((window.start + WINDOW - now) / 1000))
    },
    fail(address, now) {
      const network = nameNetwork(address)
      const window = windows.get(network)
      if (window !== undefined && now - window.start < WINDOW) {
        window.failures += 1
        return
      }
      windows.delete(network)
      windows.set(network, { start: now, failures: 1 })
      for (const [oldest, { start }] of windows) {
        if (windows.size <= MOST_ADDRESSES && now - start < WINDOW) break
        windows.delete(oldest)
      }
    },
  }
}

function nameNetwork(text: string): string {
  const address = readClientAddress(text) ?? text
  if (!isIPv6(address)) return address
  const [head = '', tail = ''] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  const end = tail === '' ? [] : tail.split(':')
  const zeros = Array.from({ length: Math.max(0, 8 - groups.length - end.length) }, () => '0')
  return [...groups, ...zeros, ...end].slice(0, 4).join(':')
}
