/** What can be wrong in the catalog; `docs/errors.md` says what each means. */
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

/** A refusal of the catalog, with a way out. Carries no secret and no text of a pack. */
export class CatalogError extends Error {
  override readonly name = 'CatalogError'
  readonly code: CatalogErrorCode
  readonly hint: string

  constructor(code: CatalogErrorCode, message: string, hint: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.hint = hint
  }
}
