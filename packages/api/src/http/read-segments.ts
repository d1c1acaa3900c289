/**
 * The parts of an address's path as a server or a proxy could take them at most: in small letters, decoded twice, without
 * empty ones and dots. So two addresses that lead to one place somewhere have the same parts here.
 */
export function readSegments(url: string): string[] {
  let [path = ''] = url.split(/[?#]/, 1)
  path = path.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '')
  // Encodings of encodings are read twice at most, so that a long address costs little.
  for (let round = 0; round < 2; round++) {
    path = path.replace(/%([0-7][0-9a-f])/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    )
  }
  const segments: string[] = []
  for (const segment of path.toLowerCase().split(/[/\\]+/)) {
    if (segment === '..') segments.pop()
    else if (segment !== '' && segment !== '.') segments.push(segment)
  }
  return segments
}

/**
 * Could a server or a proxy take this address for one below `/api/v1`, whatever its encoding, case, slashes and dots.
 * Says yes rather than no.
 */
export function isBelowApi(url: string): boolean {
  const [first, second = ''] = readSegments(url)
  return first === 'api' && /^v1(?![a-z0-9])/.test(second)
}
