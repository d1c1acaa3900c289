/** Codes of `CatalogError`; `docs/errors.md` explains each. */
export type CatalogErrorCode =
  | 'version_conflict'
  | 'parent_moved'
  | 'unknown_pack'
  | 'unknown_version'
  | 'unknown_account'
  | 'email_taken'
  | 'invalid_account'
  | 'unknown_key'
  | 'invalid_key'
  | 'key_ended'
  | 'too_many_keys'
  | 'recovery_mode'
  | 'schema_too_new'
  | 'catalog_unavailable'
  | 'catalog_damaged'
  | 'invalid_database_url'

/** Thrown when the catalog rejects a call or cannot answer. Its texts hold no secret and no content of a pack. */
export class CatalogError extends Error {
  override readonly name = 'CatalogError'
  readonly code: CatalogErrorCode
  /** What the caller can do. */
  readonly hint: string

  constructor(code: CatalogErrorCode, message: string, hint: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.hint = hint
  }
}
