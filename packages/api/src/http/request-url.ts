/**
 * Maximum characters of a path; longer ones do not reach the router. The longest section id has 200
 * code points, which take twelve characters each.
 */
const MAX_PATH = 2800
const MAX_SEGMENT = 100

/**
 * Returns the path segments of a URL in lower case, decoded twice, without empty and dot segments.
 * URLs that any server or proxy treats as the same path have the same segments.
 */
export function normalizeSegments(url: string): string[] {
  let [path = ''] = url.split(/[?#]/, 1)
  path = path.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '')
  // Nested encodings are decoded twice at most, which bounds the cost of a long URL.
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
 * Whether any server or proxy could treat a URL as one below `/api/v1`, whatever its encoding,
 * case, slashes and dots. When in doubt, the result is true.
 */
export function isBelowApi(url: string): boolean {
  const [first, second = ''] = normalizeSegments(url)
  return first === 'api' && /^v1(?![a-z0-9])/.test(second)
}

/**
 * Converts a request target in absolute form (RFC 9112, section 3.2.2) to origin form: path and
 * query. The host is ignored, as the header `Host` is.
 *
 * @example
 * toOriginForm('http://packs.example.org/docs?x') // '/docs?x'
 */
export function toOriginForm(url: string): string {
  if (url.startsWith('/')) return url
  const [origin] = /^https?:\/\/[^/?#@]+(?=[/?#]|$)/i.exec(url) ?? []
  if (origin === undefined) return url
  const target = url.slice(origin.length)
  return target.startsWith('/') ? target : `/${target}`
}

/**
 * Returns a URL that the router can read. The router would answer a malformed or overlong path
 * before any hook runs, so such a path is cut at the first unreadable segment. Hooks recognize it
 * because it differs from the original URL.
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
