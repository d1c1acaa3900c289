import { isIPv4, isIPv6, SocketAddress } from 'node:net'

/**
 * Reads the address of a client in its one canonical spelling: without port, brackets and zone, and as IPv4 where it is
 * one mapped into IPv6. Undefined for what is no address.
 *
 * @example
 * readClientAddress('[::FFFF:c000:201]:443') // '192.0.2.1'
 */
export function readClientAddress(text: string): string | undefined {
  const { bracketed, plain = '' } =
    /^(?:\[(?<bracketed>[^\]]*)\](?::\d{1,5})?|(?<plain>[^[\]]*))$/.exec(text.trim())?.groups ?? {}
  const address = (bracketed ?? plain.replace(/^([\d.]+):\d{1,5}$/, '$1')).replace(/%.*$/, '')
  if (isIPv4(address)) return address
  if (!isIPv6(address)) return undefined
  const canonical = new SocketAddress({ address, family: 'ipv6' }).address
  return /^::ffff:([\d.]+)$/.exec(canonical)?.[1] ?? canonical
}

/**
 * Reads `X-Forwarded-For` as far as it can be trusted: what stands left of something that is no address was not vouched
 * for by anybody. Undefined where nothing is left.
 */
export function readForwarded(header: string): string | undefined {
  const addresses: string[] = []
  for (const text of header.split(',').toReversed()) {
    const address = readClientAddress(text)
    if (address === undefined) break
    addresses.unshift(address)
  }
  return addresses.length === 0 ? undefined : addresses.join(', ')
}
