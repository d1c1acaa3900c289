/** Codes of `CatalogError`; `docs/errors.md` explains each. */
export type CatalogErrorCode =
  | 'version_conflict' // this version was already published from another source
  | 'job_superseded' // a publish of the pack that was accepted later has taken effect
  | 'parent_moved' // another version was published after this one was numbered; the publisher retries automatically
  | 'unknown_pack' // no pack has this slug
  | 'unknown_version' // the pack does not have this version
  | 'purged_version' // the version was purged: its number stays taken, and nothing of its text is left
  | 'purged_source' // exactly this source was purged, so it cannot be published again
  | 'text_mismatch' // a pack has another text or other addresses for models than minifying its source gives, so it was not stored
  | 'invalid_signature' // a signature was not made by its key for this version
  | 'too_many_signatures' // the version already has four signatures of other keys
  | 'unknown_account' // no account has this id or email address
  | 'email_taken' // an account with this email address already exists
  | 'invalid_account' // the email address or the number of requests per day is invalid
  | 'account_disabled' // an operator has disabled the account, so keys cannot be created or rotated
  | 'access_ended' // the account was reset after this person signed in
  | 'unknown_key' // no key has this id
  | 'invalid_key' // the name of the key is empty, too long or has several lines
  | 'key_ended' // the key was already revoked or replaced, or has expired
  | 'too_many_keys' // the account has five active keys, five rotated keys that have not expired, or created 50 keys in 24 hours
  | 'unknown_token' // no publish token has this id
  | 'invalid_token' // the name, the slugs or the end of a publish token is invalid
  | 'recovery_mode' // the service is in recovery mode, in which keys can be neither created nor used
  | 'schema_too_old' // the database is of Packs 0.3 or older, which this version does not read, or another analysis made its search index
  | 'schema_too_new' // the database was written by a newer version
  | 'catalog_unavailable' // the database is unreachable, locked for too long, full or damaged, or rejects the user
  | 'catalog_busy' // too many large packs are being requested at the same time, by all accounts together
  | 'search_busy' // 64 searches of all accounts are waiting, or a search took too long
  | 'too_many_at_once' // one account or network has used up its places: 8 searches, 16 reads of large packs, a quarter of the bytes being sent
  | 'catalog_damaged' // a row has values that this program never writes
  | 'invalid_database_url' // the URL is neither `postgres://…` nor the path of a SQLite file

export interface DamagedVersion {
  readonly slug: string
  /** `null` if the row of the version is missing. */
  readonly version: string | null
}

export interface CatalogErrorDetails extends ErrorOptions {
  readonly damaged?: DamagedVersion | undefined
}

/** Thrown when the catalog refuses or cannot answer. Texts hold no secret and no pack's text. */
export class CatalogError extends Error {
  override readonly name = 'CatalogError'
  readonly code: CatalogErrorCode
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

export function nameDamaged({ slug, version }: DamagedVersion): string {
  return `${slug}@${version ?? '?'}`
}

/** Describes an error for logs without its message, which may quote secrets. */
export function describeThrown(thrown: unknown): Record<string, unknown> {
  if (thrown instanceof CatalogError && thrown.code === 'catalog_damaged') {
    const { damaged, message } = thrown
    return { code: 'damaged_pack', pack: damaged && nameDamaged(damaged), damage: message }
  }
  if (!(thrown instanceof Error)) return { name: typeof thrown }
  const { name, code } = thrown as { readonly name: string; readonly code?: unknown }
  // Only the frames: the lines above them repeat the message.
  const frames = (thrown.stack?.match(/^ {4}at .*$/gm) ?? []).slice(0, 8).map((frame) => frame.trim())
  return { name, ...(typeof code === 'string' && { code }), frames }
}
