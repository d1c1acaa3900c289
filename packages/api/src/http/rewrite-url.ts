const MAX_PATH = 2048
const MAX_SEGMENT = 100

/**
 * Gives an address that the router can read: one whose path is malformed or over-long would be answered before any check
 * of ours. Such a one is given anew, up to the segment that cannot be read; that it differs tells that it is at fault.
 */
export function rewriteUrl(url: string): string {
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
