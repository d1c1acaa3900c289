/** Codes of `CatalogError`; `docs/errors.md` explains each. */
export type CatalogErrorCode =
  | 'version_conflict'
  | 'parent_moved'
  | 'unknown_pack'
  | 'unknown_version'
  | 'invalid_signature'
  | 'too_many_signatures'
  | 'unknown_account'
  | 'email_taken'
  | 'invalid_account'
  | 'account_disabled'
  | 'access_ended'
  | 'unknown_key'
  | 'invalid_key'
  | 'key_ended'
  | 'too_many_keys'
  | 'recovery_mode'
  | 'schema_too_old'
  | 'schema_too_new'
  | 'catalog_unavailable'
  | 'catalog_busy'
  | 'search_busy'
  | 'catalog_damaged'
  | 'invalid_database_url'

/** Names a version whose rows cannot be read. */
export interface DamagedVersion {
  readonly slug: string
  /** `null` if the row of the version is missing. */
  readonly version: string | null
}

/** The underlying error, and the damaged version if there is one. */
export interface CatalogErrorDetails extends ErrorOptions {
  readonly damaged?: DamagedVersion | undefined
}

/**
 * Thrown when the catalog rejects a call or cannot answer. Its texts hold no secret and no content
 * of a pack.
 */
export class CatalogError extends Error {
  override readonly name = 'CatalogError'
  readonly code: CatalogErrorCode
  /** What the caller can do. */
  readonly hint: string
  /** The version whose rows cannot be read, with code `catalog_damaged`. */
  readonly damaged: DamagedVersion | undefined

  constructor(code: CatalogErrorCode, message: string, hint: string, details?: CatalogErrorDetails) {
    super(message, details)
    this.code = code
    this.hint = hint
    this.damaged = details?.damaged
  }
}
