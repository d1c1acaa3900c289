import type { Kysely } from 'kysely'
import type { AccountStore } from './accounts/create-account-store.ts'
import type { KeyStore } from './accounts/create-key-store.ts'
import type { AuditStore } from './audit/create-audit-store.ts'
import type { JobStore } from './jobs/create-job-store.ts'
import type { MaintenanceStore } from './maintenance/create-maintenance-store.ts'
import type { Inventory } from './packs/create-inventory.ts'
import type { PackStore } from './packs/create-pack-store.ts'
import type { QuotaStore } from './quota/quota.ts'
import type { SearchIndex } from './search/create-search-index.ts'
import type { CatalogState, SettingStore } from './settings/create-setting-store.ts'
import type { SignatureStore } from './signatures/create-signature-store.ts'
import type { SourceStore } from './sources/create-source-store.ts'

/**
 * Storage of packs, their versions, accounts, keys and the operating mode.
 *
 * Every method can throw a `CatalogError`: `catalog_unavailable` if the database cannot answer,
 * `catalog_damaged` if a row cannot be read.
 */
export interface Catalog {
  readonly packs: PackStore
  readonly signatures: SignatureStore
  readonly sources: SourceStore
  readonly inventory: Inventory
  readonly accounts: AccountStore
  readonly keys: KeyStore
  readonly quota: QuotaStore
  readonly settings: SettingStore
  readonly jobs: JobStore
  readonly audit: AuditStore
  readonly maintenance: MaintenanceStore
  readonly search: SearchIndex
  /** The open database, for packages that keep tables of their own in it. The catalog closes it. */
  readonly database: LentDatabase
  /** Sequence number of the last commit, yank, undone yank or signature; 0 for an empty catalog. */
  sequence(): Promise<number>
  /** Reads sequence and mode, and the tables of packs and keys. In Postgres, fails after at most four seconds. */
  state(): Promise<CatalogState>
  /** Resolves once a connection of the pool is free, without using it. */
  waitForConnection(): Promise<void>
  close(): Promise<void>
}

/** Runs queries on tables that the catalog does not know. */
export type LentQueries = Kysely<unknown>

/** A database connection that stays the catalog's to close. */
export interface LentDatabase {
  readonly type: 'sqlite' | 'postgres'
  /** Its queries throw `catalog_unavailable` if the database cannot answer. */
  readonly db: LentQueries
  /**
   * Returns the URL, with its password, so that a thread of this process can open the database too; `null` for a database in
   * memory. It is a function, so that no log contains it.
   */
  url(): string | null
  /** Runs work that may hide the errors of its queries; if one was `catalog_unavailable`, that is thrown in any case. */
  readonly keepFailure: <T>(work: () => Promise<T>) => Promise<T>
}
