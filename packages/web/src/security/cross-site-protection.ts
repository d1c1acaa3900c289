import type { IncomingHttpHeaders } from 'node:http'
import { WebError } from '../web-error.ts'

/** Stands on every answer: nothing is loaded but from here, nothing runs inline, nobody frames a page. */
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
 * Refuses a form that was sent from a page of another site.
 *
 * Browsers say where a form comes from in `Origin`, newer ones in `Sec-Fetch-Site` too; both must say that it is this
 * site, and one of them must be there.
 *
 * @throws WebError `cross_site_request`
 */
export function checkOrigin(headers: IncomingHttpHeaders, origin: string): void {
  const { origin: from, 'sec-fetch-site': site } = headers
  const isHere = (from === undefined || from === origin) && (site === undefined || site === 'same-origin')
  if (isHere && (from !== undefined || site !== undefined)) return
  throw new WebError(
    'cross_site_request',
    'This form was not sent from a page of this site',
    `Open ${origin}/settings and send it from there.`,
  )
}
