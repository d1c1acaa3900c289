/**
 * The path and query of a request line, which may hold a whole address (RFC 9112, section 3.2.2); its host counts as little
 * as the header `Host`.
 *
 * @example
 * readTarget('http://packs.example.org/docs?x') // '/docs?x'
 */
export function readTarget(url: string): string {
  if (url.startsWith('/')) return url
  const [origin] = /^https?:\/\/[^/?#@]+(?=[/?#]|$)/i.exec(url) ?? []
  if (origin === undefined) return url
  const target = url.slice(origin.length)
  return target.startsWith('/') ? target : `/${target}`
}
