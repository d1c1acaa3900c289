/**
 * The parts of an address's path as a server or a proxy could take them at most: in small letters, decoded twice, without
 * empty ones and dots. So two addresses that lead to one place somewhere have the same parts here.
 */
export function normalizeSegments(url: string): string[] {
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
  const [first, second = ''] = normalizeSegments(url)
  return first === 'api' && /^v1(?![a-z0-9])/.test(second)
}

/**
 * The path and query of a request line, which may hold a whole address (RFC 9112, section 3.2.2); its host counts as little
 * as the header `Host`.
 *
 * @example
 * readTarget('http://packs.example.org/docs?x') // '/docs?x'
 */
export function toOriginForm(url: string): string {
  if (url.startsWith('/')) return url
  const [origin] = /^https?:\/\/[^/?#@]+(?=[/?#]|$)/i.exec(url) ?? []
  if (origin === undefined) return url
  const target = url.slice(origin.length)
  return target.startsWith('/') ? target : `/${target}`
}

const MAX_PATH = 2048
const MAX_SEGMENT = 100

/**
 * Gives an address that the router can read: one whose path is malformed or over-long would be answered before any check
 * of ours. Such a one is given anew, up to the segment that cannot be read; that it differs tells that it is at fault.
 */
export function toRoutableUrl(url: string): string {
  const end = url.search(/[?#]/)
  const path = end < 0 ? url : url.slice(0, end)
  if (path.startsWith('/') && path.length <= MAX_PATH && isDecodable(path)) return url
  const readable: string[] = []
  for (const segment of path.split('/', 20).slice(1)) {
    if (segment.length > MAX_SEGMENT || !isDecodable(segment)) break
    readable.push(segment)
  }
  return `/${[...readable, 'unreadable'].join('/')}`
}

function isDecodable(text: string): boolean {
  if (!text.includes('%')) return true
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}
