import type { ClientErrorCode } from './client-error.ts'
import type { ApiCode } from './generated/responses.ts'

const KEY = 'set PACK_KEY to an active key of a Pro account'
const RESTORE =
  'restore the lock from version control, or remove the file and pin its packs again with `pack add`'
const ADDRESS = 'check --url or PACK_URL, the network and proxies on the way, then try again'
const LATER = 'try again later; packs that are pinned and cached can be used meanwhile'
const OPERATOR = 'try again; if it happens again, report it to the operator of the catalog'
const REPORT = 'update `pack`; if it happens again, report it as a bug of `pack`'

interface ErrorAdvice {
  /** How a program ends with it. @default 'findings' */
  readonly exit?: 'usage' | 'refused' | 'unavailable'
  /**
   * What a person does who uses `pack`: its commands, options and variables. @default the hint of
   * the error, which is about a name
   */
  readonly person?: string
  /**
   * What a model does that has the tools `search_packs` and `read_pack`. @default nothing but to
   * tell the user
   */
  readonly model?: string
}

/**
 * The codes of the client and of the API. Hints of errors are for developers: they name options and
 * methods.
 */
export const errorAdvice: Readonly<Record<ClientErrorCode | ApiCode, ErrorAdvice>> &
  Readonly<Record<string, ErrorAdvice>> = {
  invalid_name: { exit: 'usage', model: 'Find its name with search_packs.' },
  invalid_range: { exit: 'usage', model: 'Name the pack without a range for its newest version.' },
  invalid_option: {
    exit: 'usage',
    person: 'give an address such as https://packs.example to --url or PACK_URL, and a key to PACK_KEY',
    model: 'Packs cannot be searched here: call read_pack with a name that you know.',
  },
  insecure_url: {
    exit: 'refused',
    person: 'use https, or give --allow-http or PACK_ALLOW_HTTP=1 if every network on the way is trusted',
  },
  no_matching_version: {
    person: 'choose a range with one of these versions; `pack outdated` shows what is wanted and latest',
    model: 'Name the pack without a range for its newest version.',
  },
  not_in_lock: {
    person: 'pin it with `pack add`; name packs of a lock by their slugs',
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
    person:
      'ask the publisher; if the publisher has a new key, accept it on purpose with `pack add NAME --signer ID`',
  },
  not_cached: { person: 'run `pack install` with PACK_URL and PACK_KEY set' },
  unreachable: { exit: 'unavailable', person: ADDRESS },
  timeout: { exit: 'unavailable', person: ADDRESS },
  invalid_response: { exit: 'unavailable', person: ADDRESS },
  digest_mismatch: { person: ADDRESS },
  invalid_signature: {
    exit: 'refused',
    person: 'ask the publisher: somebody else has changed the pack or its signature',
  },
  response_too_large: { person: 'check that --url or PACK_URL is the URL of a catalog' },
  preview_only: { exit: 'refused', person: KEY },
  missing_api_key: { exit: 'refused', person: KEY },
  invalid_api_key: { exit: 'refused', person: KEY },
  tier_required: {
    exit: 'refused',
    person: KEY,
    model: 'Call read_pack without a section for the preview, or answer with what you have.',
  },
  foreign_origin: { person: ADDRESS },
  not_found: { person: 'check --url or PACK_URL: it is the URL of a catalog, with or without /api/v1' },
  pack_not_found: {
    person: 'check the slug on the pages of the catalog',
    model: 'Find its name with search_packs.',
  },
  version_not_found: {
    person: 'name a version that the catalog has; `pack outdated` shows the latest of a pinned pack',
    model: 'Name the pack without a version for its newest one.',
  },
  section_not_found: {
    person: 'see the sections of the pack on the pages of the catalog',
    model: 'Call read_pack without a section for its ids, or search_packs.',
  },
  invalid_parameter: { person: REPORT },
  invalid_path: { person: REPORT },
  invalid_request: { person: REPORT },
  unexpected_body: { person: REPORT },
  method_not_allowed: { person: REPORT },
  expectation_failed: { person: REPORT },
  misdirected_request: { person: ADDRESS },
  headers_too_large: { person: REPORT },
  request_timeout: { person: ADDRESS },
  over_budget: { person: 'name fewer packs' },
  prompt_too_large: { person: 'name fewer packs' },
  quota_exceeded: {
    exit: 'unavailable',
    person: 'the quota of the account is used up; packs that are pinned and cached can be used meanwhile',
  },
  too_many_failed_keys: {
    exit: 'unavailable',
    person: 'set PACK_KEY to an active key, and wait before the next attempt',
  },
  too_many_requests: { exit: 'unavailable', person: LATER },
  internal_error: { exit: 'unavailable', person: OPERATOR },
  damaged_pack: { person: 'use another version of the pack, and report it to the operator of the catalog' },
  recovery_mode: { exit: 'unavailable', person: LATER },
  service_unavailable: { exit: 'unavailable', person: LATER },
}
