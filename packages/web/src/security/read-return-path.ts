const MAX_LENGTH = 2000
// White space, control characters and backslashes, which browsers drop from an address or take for a slash.
const UNSAFE = /[\s\\\p{Cc}\p{Cf}\p{Cs}]/u
const BASE = 'http://site.invalid'

/**
 * A path on this site to go back to, with its query and fragment; `fallback` for anything else, such as an address of another
 * site.
 *
 * It is given in ASCII, as it goes into a header. Below `/settings` there are addresses that only forms are sent to: they lead
 * to `/settings` itself.
 *
 * @example
 * readReturnPath('/browse?search=tls#text', '/settings') // '/browse?search=tls#text'
 * readReturnPath('//evil.example', '/settings') // '/settings'
 */
export function readReturnPath(value: unknown, fallback: string): string {
  if (typeof value !== 'string' || value.length > MAX_LENGTH || !value.startsWith('/') || UNSAFE.test(value))
    return fallback
  const url = URL.parse(value, BASE)
  if (url === null || url.origin !== BASE || url.pathname.includes('//')) return fallback
  if (/^\/settings(?:\/|$)/i.test(url.pathname)) return '/settings'
  const path = `${url.pathname}${url.search}${url.hash}`
  return path.length > MAX_LENGTH ? fallback : path
}

/** Where one signs in to come back to a path. */
export function formatSignInPath(path: string): string {
  return path === '/settings' ? path : `/settings?return=${encodeURIComponent(path)}`
}
