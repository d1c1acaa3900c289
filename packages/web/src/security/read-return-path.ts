const MAX_LENGTH = 2000
// White space, control characters and backslashes: browsers drop them from a URL or treat them as a slash.
const UNSAFE = /[\s\\\p{Cc}\p{Cf}\p{Cs}]/u
/** The page to which a mail leads. */
const MAIL_PATH = '/settings/verify'
const BASE = 'http://site.invalid'

/**
 * Returns a path on this site, with its query and fragment, or `fallback` for anything else, such as a URL of another site.
 *
 * The path is ASCII, because it is sent in a header. Paths below `/settings` become `/settings`, because only forms are
 * sent to them, except the page to which a mail leads.
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
  if (/^\/settings(?:\/|$)/i.test(url.pathname) && url.pathname !== MAIL_PATH) return '/settings'
  const path = `${url.pathname}${url.search}${url.hash}`
  return path.length > MAX_LENGTH ? fallback : path
}

/** Formats the path of a sign-in that leads back to `path`. */
export function formatSignInPath(path: string): string {
  return path === '/settings' ? path : `/settings?return=${encodeURIComponent(path)}`
}
