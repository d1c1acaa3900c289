/** What can be wrong in the catalog. */
export type CatalogErrorCode =
  /** A named version exists with another source. */
  | 'version_conflict'
  /** The newest version is no longer the one a new version was decided against: decide again. */
  | 'parent_moved'
  /** No pack or version of that name. */
  | 'unknown_pack'
  | 'unknown_version'
  | 'unknown_account'
  | 'email_taken'
  /** The database was written by a newer version of this program. */
  | 'schema_too_new'
  /** The database cannot be reached, is locked for too long, or is full. */
  | 'catalog_unavailable'
  /** The address of the database is none that is known. */
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
