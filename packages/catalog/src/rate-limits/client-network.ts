import { isIPv4, isIPv6, SocketAddress } from 'node:net'

/**
 * Reads a client's address in its canonical spelling: without port, brackets and zone. An IPv4 address mapped into IPv6
 * is that IPv4 address, however it is spelled. Returns `undefined` for text that is not an address.
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
 * Returns the name under which the requests of a client are limited: an IPv4 address, or the /64 network of an IPv6
 * address, because one IPv6 client has a whole /64. Text that is not an address is its own name.
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
