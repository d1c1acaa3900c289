/** Error codes of the pages with their HTTP status; `docs/errors.md` describes each. */
const statusOfCode = {
  page_not_found: 404, // there is no page at this URL
  unknown_pack: 404, // no pack has this name, or all its versions were yanked
  unknown_version: 404, // the pack has no version with this number
  purged_version: 410, // the version, or all of the pack, was erased for good; the page has the reason
  invalid_query: 400, // a search field is invalid, such as a search with more than four phrases, or `/prompt.md` names what does not exist
  invalid_form: 400, // a field of the form is missing or invalid, or the password or code is wrong
  cross_site_request: 403, // the form was sent from another site, or the browser does not say from where
  too_many_pages: 429, // more than 600 pages a minute from one network, or 60 searches that no quota counts
  too_many_sign_ups: 429, // more than 5 sign-ups an hour from one network
  too_many_passwords: 429, // more than five wrong passwords for an email address, or 30 a minute from a network
  too_many_codes: 429, // 10 wrong codes a minute from one network
  too_many_mails: 429, // one network asked for more than 10 mails an hour
  tier_required: 403, // only Pro accounts can download whole packs
  too_many_at_once: 429, // one account or network has used up its places for searches or large packs
  allowance_spent: 429, // the account has used its quota for this UTC day, or what is granted while requests cannot be counted
  unknown_key: 404, // the account does not have this key
  key_refused: 409, // the key cannot be created or rotated: five are active, or it is no longer active
  recovery_mode: 503, // the service is in recovery mode, in which keys can be neither created nor used
  damaged_pack: 500, // the rows of this pack in the database are damaged; other packs are not affected
  service_unavailable: 503, // the database is unreachable or busy, or too many large packs or password checks are requested at the same time
  internal: 500, // an error of the pages themselves
} as const

export type WebErrorCode = keyof typeof statusOfCode

export interface ErrorLink {
  readonly path: string
  readonly name: string
}

type WebErrorDetails = Partial<Pick<WebError, 'retryAfter' | 'links' | 'field' | 'search'>>

/** An error that is shown to the visitor: what is wrong, and what to do. */
export class WebError extends Error {
  override readonly name = 'WebError'
  readonly code: WebErrorCode
  readonly hint: string
  readonly retryAfter: number | null
  /** Links on the error page, most helpful first. */
  readonly links: readonly ErrorLink[]
  readonly field: string | null
  /** Words to fill in the search of the error page. */
  readonly search: string | undefined

  constructor(code: WebErrorCode, message: string, hint: string, details: WebErrorDetails = {}) {
    super(message)
    this.code = code
    this.hint = hint
    this.retryAfter = details.retryAfter ?? null
    this.links = details.links ?? []
    this.field = details.field ?? null
    this.search = details.search
  }

  get status(): number {
    return statusOfCode[this.code]
  }
}

/** @param retryAfter seconds */
export function tooManyPagesError(message: string, retryAfter: number): WebError {
  const hint = `Wait ${retryAfter} seconds. Programs should use the API.`
  return new WebError('too_many_pages', message, hint, { retryAfter })
}
