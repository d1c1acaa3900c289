import type { ClientError, ClientErrorCode } from '@packs/client'

const KEY = 'set PACK_KEY to an active key of a Pro account'
const RESTORE =
  'restore the lock from version control, or remove the file and pin its packs again with `pack add`'
const ADDRESS = 'check --url or PACK_URL, the network and proxies on the way, then try again'
const LATER = 'try again later; packs that are pinned and cached can be used meanwhile'
const OPERATOR = 'try again; if it happens again, report it to the operator of the catalog'
const REPORT = 'update `pack`; if it happens again, report it as a bug of `pack`'

/** Codes of names, whose hints are those of the codec: they are about the text of the name. */
type NameCode = 'invalid_name' | 'invalid_range'

/** What to do, in words of the program. The hints of the client are about its methods and options. */
const HINTS: Readonly<Record<string, string>> = {
  invalid_option: 'give an address such as https://packs.example to --url or PACK_URL, and a key to PACK_KEY',
  insecure_url: 'use https, or give --allow-http or PACK_ALLOW_HTTP=1 if every network on the way is trusted',
  no_matching_version:
    'choose a range with one of these versions; `pack outdated` shows what is wanted and latest',
  not_in_lock: 'pin it with `pack add`; name packs of a lock by their slugs',
  invalid_lock: RESTORE,
  lock_mismatch:
    'restore the lock from version control; if the catalog is right, run `pack remove` and `pack add` for this pack',
  signer_mismatch:
    'ask the publisher; if the publisher has a new key, accept it on purpose with `pack add NAME --signer ID`',
  not_cached: 'run `pack install` with PACK_URL and PACK_KEY set',
  unreachable: ADDRESS,
  timeout: ADDRESS,
  invalid_response: ADDRESS,
  digest_mismatch: ADDRESS,
  invalid_signature: 'ask the publisher: somebody else has changed the pack or its signature',
  response_too_large: 'check that --url or PACK_URL is the address of a catalog',
  preview_only: KEY,
  missing_api_key: KEY,
  invalid_api_key: KEY,
  tier_required: KEY,
  foreign_origin: ADDRESS,
  not_found: 'check --url or PACK_URL: it is the address of a catalog, with or without /api/v1',
  pack_not_found: 'check the slug on the pages of the catalog',
  version_not_found: 'name a version that the catalog has; `pack outdated` shows the latest of a pinned pack',
  section_not_found: 'see the sections of the pack on the pages of the catalog',
  invalid_parameter: REPORT,
  invalid_path: REPORT,
  invalid_request: REPORT,
  unexpected_body: REPORT,
  method_not_allowed: REPORT,
  expectation_failed: REPORT,
  misdirected_request: ADDRESS,
  headers_too_large: REPORT,
  request_timeout: ADDRESS,
  over_budget: 'name fewer packs',
  prompt_too_large: 'name fewer packs',
  quota_exceeded:
    'the quota of the account is used up; packs that are pinned and cached can be used meanwhile',
  too_many_failed_keys: 'set PACK_KEY to an active key, and wait before the next attempt',
  too_many_requests: LATER,
  internal_error: OPERATOR,
  damaged_pack: 'use another version of the pack, and report it to the operator of the catalog',
  recovery_mode: LATER,
  service_unavailable: LATER,
} satisfies Record<Exclude<ClientErrorCode, NameCode>, string> & Record<string, string>

/**
 * Returns what to do about an error of a client, in words of this program: its commands, options and variables, and the time
 * from which a request may be repeated.
 */
export function adviseOn({ code, hint, retryAt, requestId }: ClientError): string {
  const isName = code === 'invalid_name' || code === 'invalid_range'
  const advice = Object.hasOwn(HINTS, code) ? HINTS[code]! : isName ? hint : ADDRESS
  const when = retryAt === undefined ? '' : `; try again at ${formatTime(retryAt)}`
  const id = code === 'internal_error' && requestId !== undefined ? ` (request ${requestId})` : ''
  return `${when === '' ? advice : advice.replace(/^try again later; /, '')}${id}${when}`
}

/** Rounds up to seconds. */
function formatTime(time: Date): string {
  const seconds = new Date(Math.ceil(time.getTime() / 1000) * 1000)
  return `${seconds.toISOString().slice(0, 19).replace('T', ' ')} UTC`
}
