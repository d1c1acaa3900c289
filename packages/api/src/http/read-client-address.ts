import { readClientAddress } from '@packs/catalog'

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
