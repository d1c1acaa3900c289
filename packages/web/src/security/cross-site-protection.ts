import type { IncomingHttpHeaders } from 'node:http'
import { WebError } from '../web-error.ts'

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
 * Rejects a form that was sent from another site.
 *
 * Browsers send the origin of a form in `Origin`, newer ones also in `Sec-Fetch-Site`. At least one must be present, and each
 * that is present must name this site. From a page with `no-referrer` the origin is `null`; then `Sec-Fetch-Site` must name it.
 *
 * @throws WebError `cross_site_request`
 */
export function checkOrigin(headers: IncomingHttpHeaders, origin: string): void {
  const { origin: from, 'sec-fetch-site': site } = headers
  const isHidden = from === undefined || from === 'null'
  const isHere = (isHidden || from === origin) && (site === undefined || site === 'same-origin')
  if (isHere && !(isHidden && site === undefined)) return
  throw new WebError(
    'cross_site_request',
    'This form was not sent from a page of this site',
    `Open ${origin}/settings and send it from there.`,
  )
}
