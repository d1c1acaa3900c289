import type { IncomingHttpHeaders } from 'node:http'
import { WebError } from '../web-error.ts'

const MAX_LENGTH = 2000
// White space, control characters and backslashes: browsers drop them from URLs or treat them as slashes.
const UNSAFE = /[\s\\\p{Cc}\p{Cf}\p{Cs}]/u
/** The page that mails link to. */
const MAIL_PATH = '/settings/verify'
const BASE = 'http://site.invalid'

/**
 * Returns a path on this site, with its query and fragment, or `fallback` for anything else, such
 * as a URL of another site. The path is ASCII, because it is sent in a header. Paths below
 * `/settings` become `/settings`, because they only accept forms, except the page that mails link
 * to.
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

/** Headers of every response: load only from this site, run nothing inline, and allow no frames. */
export const securityHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    "img-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/**
 * Rejects a form that was sent from another site. Browsers send the origin of a form in `Origin`,
 * and newer ones also in `Sec-Fetch-Site`. At least one must be present, and those present must
 * name this site. From a page with `no-referrer`, `Origin` is `null`, so `Sec-Fetch-Site` must name
 * this site.
 * @throws WebError `cross_site_request`
 */
export function checkOrigin(headers: IncomingHttpHeaders, origin: string): void {
  const { origin: from, 'sec-fetch-site': site } = headers
  const isHidden = from === undefined || from === 'null'
  const isHere = (isHidden || from === origin) && (site === undefined || site === 'same-origin')
  if (isHere && !(isHidden && site === undefined)) return
  const hint = `Open ${origin}/settings and send the form from there.`
  throw new WebError('cross_site_request', 'This form was not sent from a page on this site', hint)
}
