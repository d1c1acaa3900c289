/** Error codes of the pages with their HTTP status; `docs/errors.md` describes each. */
const statusOfCode = {
  page_not_found: 404,
  unknown_pack: 404,
  unknown_version: 404,
  invalid_query: 400,
  invalid_form: 400,
  cross_site_request: 403,
  too_many_pages: 429,
  too_many_sign_ups: 429,
  too_many_passwords: 429,
  too_many_codes: 429,
  too_many_mails: 429,
  tier_required: 403,
  allowance_spent: 429,
  unknown_key: 404,
  key_refused: 409,
  recovery_mode: 503,
  damaged_pack: 500,
  service_unavailable: 503,
  internal: 500,
} as const

export type WebErrorCode = keyof typeof statusOfCode

export interface ErrorLink {
  readonly path: string
  readonly name: string
}

export interface WebErrorDetails {
  /** Seconds to wait before trying again. */
  readonly retryAfter?: number | null
  /** Links on the error page, most helpful first. */
  readonly links?: readonly ErrorLink[]
  /** Name of the form field with the error. */
  readonly field?: string
  /** Words to fill in the search of the error page. */
  readonly search?: string
}

/** An error that is shown to the visitor: what is wrong, and what to do. */
export class WebError extends Error {
  override readonly name = 'WebError'
  readonly code: WebErrorCode
  readonly hint: string
  readonly retryAfter: number | null
  readonly links: readonly ErrorLink[]
  readonly field: string | null
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
