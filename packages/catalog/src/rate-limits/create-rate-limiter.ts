import { isIPv4, isIPv6, SocketAddress } from 'node:net'

/** How often a name may do something in a window; the window begins with the name's first count. */
export interface RateLimit {
  readonly limit: number
  /** Milliseconds. */
  readonly windowMs: number
}

/** Counts by name in the memory of one process. */
export interface RateLimiter {
  /**
   * Returns the seconds until the name may count again; 0 while its limit is not reached. Counts
   * nothing.
   */
  wait(name: string, now: Date): number
  /**
   * Counts one and returns 0; where the limit is reached, counts nothing and returns the seconds to
   * wait.
   */
  take(name: string, now: Date): number
}

/** Bounds the memory: beyond this many names the oldest windows are forgotten. */
const MAX_NAMES = 100_000

/**
 * Creates a rate limiter for one process.
 *
 * @example
 * const limiter = createRateLimiter({ limit: 60, windowMs: 60_000 })
 * const wait = limiter.take(clientNetwork(request.ip), new Date())
 */
export function createRateLimiter({ limit, windowMs }: RateLimit): RateLimiter {
  const windows = new Map<string, { count: number; readonly end: number }>()

  const isOpen = (end: number, time: number): boolean =>
    // An end further away than a window was set by a clock that has been put back since.
    end > time && end <= time + windowMs

  const wait: RateLimiter['wait'] = (name, now) => {
    const time = now.getTime()
    const window = windows.get(name)
    if (window === undefined || window.count < limit || !isOpen(window.end, time)) return 0
    return Math.max(1, Math.ceil((window.end - time) / 1000))
  }

  const open = (name: string, time: number): void => {
    windows.delete(name)
    windows.set(name, { count: 1, end: time + windowMs })
    for (const [oldest, { end }] of windows) {
      if (windows.size <= MAX_NAMES && isOpen(end, time)) break
      windows.delete(oldest)
    }
  }

  return {
    wait,
    take(name, now) {
      const seconds = wait(name, now)
      if (seconds > 0) return seconds
      const window = windows.get(name)
      if (window !== undefined && isOpen(window.end, now.getTime())) window.count++
      else open(name, now.getTime())
      return 0
    },
  }
}

/**
 * Reads a client's address in its canonical spelling: without port, brackets and zone. An IPv4
 * address mapped into IPv6 is that IPv4 address, however it is spelled. Returns `undefined` for
 * text that is not an address.
 *
 * @example
 * readClientAddress('[::FFFF:c000:201]:443') // '192.0.2.1'
 */
export function readClientAddress(text: string): string | undefined {
  const { bracketed, plain = '' } =
    /^(?:\[(?<bracketed>[^\]]*)\](?::\d{1,5})?|(?<plain>[^[\]]*))$/.exec(text.trim())?.groups ?? {}
  const address = (bracketed ?? plain.replace(/^([\d.]+):\d{1,5}$/, '$1')).replace(/%[^]*/, '')
  if (isIPv4(address)) return address
  if (!isIPv6(address)) return undefined
  const canonical = new SocketAddress({ address, family: 'ipv6' }).address
  return /^::ffff:([\d.]+)$/.exec(canonical)?.[1] ?? canonical
}

/**
 * Returns the name under which the requests of a client are limited: an IPv4 address, or the /64
 * network of an IPv6 address, because one IPv6 client has a whole /64. Text that is not an address
 * is its own name.
 *
 * @example
 * clientNetwork('2001:db8:1:2::9') // '2001:db8:1:2::/64'
 */
export function clientNetwork(text: string): string {
  const address = readClientAddress(text) ?? text
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.split('::')
  const left = splitGroups(head)
  const right = splitGroups(tail ?? '')
  const zeros = Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0')
  const groups = tail === undefined ? left : [...left, ...zeros, ...right]
  return `${groups.slice(0, 4).join(':')}::/64`
}

function splitGroups(text: string): string[] {
  return text === '' ? [] : text.split(':')
}
