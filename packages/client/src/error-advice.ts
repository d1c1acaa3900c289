import type { ClientErrorCode } from './client-error.ts'
import type { ApiCode } from './generated/responses.ts'

const KEY = 'set PACK_KEY to an active key of a Pro account'
const TOKEN =
  'set PACK_PUBLISH_TOKEN to a token that is for this slug and has not ended; the operator makes one with `pack tokens create`'
const RESTORE = 'restore the lock from version control, or delete it and pin its packs again with `pack add`'
const CONNECTION = 'check --url or PACK_URL, the network and any proxy, then try again'
const SERVER = 'check --url, the network and any proxy, then try again'
const BODY =
  'check --url, and raise the limit of the proxy on bodies (nginx: client_max_body_size 33m), then try again'
const RESEND = 'try again later; publishing a source twice changes nothing'
const LATER = 'try again later; pinned packs in the cache still work'
const OPERATOR = 'try again; if it keeps failing, tell the operator of the catalog'
const REPORT = 'update `pack`; if it still fails, report a bug in `pack`'

interface ErrorAdvice {
  /** Kind of exit code. @default 'findings' */
  readonly exit?: 'usage' | 'refused' | 'unavailable'
  /**
   * What a user of `pack` should do, in terms of its commands, options and variables. @default the
   * hint of the error, which is about a name
   */
  readonly person?: string
  /** What a user of `pack publish --url` should do. @default that of a person */
  readonly publisher?: string
  /** What a model with `search_packs` and `read_pack` should do. @default only tell the user */
  readonly model?: string
}

/** By code. The hints of errors are for developers: they name options and methods. */
export const errorAdvice: Readonly<Record<ClientErrorCode | ApiCode, ErrorAdvice>> &
  Readonly<Record<string, ErrorAdvice>> = {
  invalid_name: { exit: 'usage', model: 'Find its name with search_packs.' },
  invalid_range: { exit: 'usage', model: 'Name the pack without a range for its newest version.' },
  invalid_option: {
    exit: 'usage',
    person: 'set --url or PACK_URL to a URL such as https://packs.example, and PACK_KEY to a key',
    publisher: 'set --url to a URL such as https://packs.example, and PACK_PUBLISH_TOKEN to a token',
    model: 'Packs cannot be searched here: call read_pack with a name that you know.',
  },
  insecure_url: {
    exit: 'refused',
    person: 'use https, or set PACK_ALLOW_HTTP=1 if you trust every network in between',
  },
  no_matching_version: {
    person:
      'choose a range that contains one of these versions; `pack update --dry-run --latest` shows the latest',
    model: 'Name the pack without a range for its newest version.',
  },
  not_in_lock: {
    person: 'pin it with `pack add`; packs in a lock are named by slug',
    model: 'Only pinned packs can be read here: name another one, or answer with what you have.',
  },
  invalid_lock: { person: RESTORE },
  lock_mismatch: {
    exit: 'refused',
    person:
      'restore the lock from version control; if the catalog is right, run `pack remove` and `pack add` for this pack',
  },
  signer_mismatch: {
    exit: 'refused',
    person: 'ask the publisher; if the key is new, accept it with `pack add NAME --signer ID`',
  },
  not_cached: { person: 'run `pack install` with PACK_URL and PACK_KEY set' },
  unreachable: { exit: 'unavailable', person: CONNECTION, publisher: SERVER },
  timeout: { exit: 'unavailable', person: CONNECTION, publisher: SERVER },
  invalid_response: { exit: 'unavailable', person: CONNECTION, publisher: BODY },
  digest_mismatch: { person: CONNECTION },
  invalid_signature: {
    exit: 'refused',
    person: 'ask the publisher: the pack or its signature was changed by someone else',
  },
  response_too_large: { person: 'check that --url or PACK_URL is the URL of a catalog' },
  preview_only: { exit: 'refused', person: KEY },
  missing_api_key: { exit: 'refused', person: KEY },
  invalid_api_key: { exit: 'refused', person: KEY },
  invalid_publish: { person: 'correct the source or the request, and publish it again' },
  invalid_publish_token: { exit: 'refused', person: TOKEN },
  token_forbidden: { exit: 'refused', person: TOKEN },
  tier_required: {
    exit: 'refused',
    person: KEY,
    model: 'Call read_pack without a section for the preview, or answer with what you have.',
  },
  foreign_origin: { person: CONNECTION },
  not_found: {
    person: 'check --url or PACK_URL: it must be the URL of a catalog, with or without /api/v1',
    publisher: 'check --url: it must be the URL of a catalog',
  },
  pack_not_found: {
    person: 'check the slug on the website of the catalog',
    model: 'Find its name with search_packs.',
  },
  purged_version: {
    exit: 'refused',
    person:
      'its text was erased; if a lock pins it, run `pack update SLUG --latest`, or `pack remove SLUG` if the whole pack was purged; else name another version or pack',
    model: 'Name the pack without a version for its newest one, or another pack.',
  },
  version_not_found: {
    person:
      'name a version that the catalog has; `pack update --dry-run --latest` shows the latest version of a pinned pack',
    model: 'Name the pack without a version for its newest one.',
  },
  section_not_found: {
    person: 'see the sections of the pack on the website of the catalog',
    model: 'Call read_pack without a section for its ids, or search_packs.',
  },
  invalid_parameter: { person: REPORT },
  invalid_path: { person: REPORT },
  invalid_request: { person: REPORT },
  unexpected_body: { person: REPORT },
  method_not_allowed: { person: REPORT },
  precondition_failed: { person: REPORT },
  expectation_failed: { person: REPORT },
  misdirected_request: { person: CONNECTION },
  headers_too_large: { person: REPORT },
  request_timeout: { person: CONNECTION },
  over_budget: { person: 'raise --budget, or name fewer packs' },
  quota_exceeded: {
    exit: 'unavailable',
    person: 'the quota of the account is used up; pinned packs in the cache still work',
  },
  too_many_failed_keys: {
    exit: 'unavailable',
    person: 'set PACK_KEY to an active key, and wait before the next attempt',
  },
  too_many_requests: { exit: 'unavailable', person: LATER },
  internal_error: { exit: 'unavailable', person: OPERATOR },
  damaged_pack: { person: 'use another version of the pack, and tell the operator of the catalog' },
  recovery_mode: { exit: 'unavailable', person: LATER, publisher: RESEND },
  search_busy: { exit: 'unavailable', person: LATER },
  too_many_at_once: { exit: 'unavailable', person: LATER },
  service_unavailable: { exit: 'unavailable', person: LATER, publisher: RESEND },
}
