import { createResultCache, type ResultCache } from './database/loading-cache.ts'
import { sql, type Kysely } from 'kysely'
import { Migrator, type Migration } from 'kysely/migration'
import { CatalogError } from './catalog-error.ts'
import { createAccountStore, type AccountStore } from './accounts/create-account-store.ts'
import { createKeyStore, type KeyStore } from './accounts/create-key-store.ts'
import { createTokenStore, type TokenStore } from './accounts/create-token-store.ts'
import { listAudit } from './audit/create-audit-store.ts'
import { type Database, type Method, type Queries, readSequence } from './database/database.ts'
import { isInMemory, openDatabase } from './database/open-database.ts'
import { keepFailure } from './database/translate-failures.ts'
import { createJobStore, type JobStore } from './jobs/create-job-store.ts'
import { createMaintenanceStore, type MaintenanceStore } from './maintenance/create-maintenance-store.ts'
import { createCatalog as createTables } from './migrations/0001-catalog.ts'
import { addSignature } from './packs/change-version.ts'
import { createInventory, type Inventory } from './packs/examine-version.ts'
import { createPackStore, type PackStore } from './packs/create-pack-store.ts'
import { createSourceStore, type SourceStore } from './sources/create-source-store.ts'
import { createQuotaStore } from './quota/create-quota-store.ts'
import { createSearchIndex, requireIndex, type SearchIndex } from './search/create-search-index.ts'
import {
  createSettingStore,
  parseMode,
  type CatalogState,
  type SettingStore,
} from './mode/create-setting-store.ts'
import type { QuotaStore } from './quota/create-quota.ts'

export interface CatalogOptions {
  /** `postgres://…`, or the path of a SQLite file, with or without `sqlite:` before it. */
  readonly url: string
  /** Clock for the times in rows. @default the system clock */
  readonly now?: () => Date
  /** Milliseconds to wait for another writer or for a connection. @default 10,000 */
  readonly lockTimeout?: number
  /** Milliseconds that a statement may run in Postgres. @default 30,000 */
  readonly statementTimeout?: number
  /** Creates and migrates nothing. A SQLite file must exist; its folder may be read-only. */
  readonly readOnly?: boolean
  /** Megabytes that a server is to take, by which caches and heaps are sized. @default 1024 */
  readonly memory?: number
  /** Opens it though another analysis made its search index, or it is damaged, to rebuild it. */
  readonly anyIndex?: boolean
}

/**
 * Migrates the schema first; several processes can do so at the same time.
 * @throws CatalogError `invalid_database_url`, `catalog_unavailable`, `schema_too_old` or
 *   `schema_too_new`
 */
export async function openCatalog(options: CatalogOptions): Promise<Catalog> {
  const database = await openDatabase({
    url: options.url,
    now: options.now ?? (() => new Date()),
    lockTimeout: options.lockTimeout ?? 10_000,
    statementTimeout: options.statementTimeout,
    readOnly: options.readOnly ?? false,
  })
  try {
    await (options.readOnly ? requireMigrated : migrate)(database)
    if (!options.anyIndex) await requireIndex(database)
  } catch (error) {
    await database.close()
    throw error
  }
  return createCatalog(database, options.url, options.memory ?? 1024)
}

function createCatalog(database: Database, url: string, memory: number): Catalog {
  const { queries, reads, probes, dialect } = database
  const settings = createSettingStore(database)
  const results = createResultCache((memory / 64) * 2 ** 20)
  return {
    packs: createPackStore(database, results),
    results,
    signatures: { add: (...signature) => addSignature(database, ...signature) },
    sources: createSourceStore(database),
    inventory: createInventory(database),
    accounts: createAccountStore(database),
    keys: createKeyStore(database, settings),
    tokens: createTokenStore(database),
    quota: createQuotaStore(database),
    settings,
    jobs: createJobStore(database),
    audit: { list: (query) => listAudit(database, query) },
    maintenance: createMaintenanceStore(database),
    search: createSearchIndex(database),
    database: {
      type: dialect.type,
      db: queries as LentQueries,
      url: () => (isInMemory(url) ? null : url),
      keepFailure,
    },
    memory,
    sequence: () => readSequence(reads),
    async state() {
      database.requireFile()
      const { rows } = await sql<{ sequence: number; mode: string }>`select sequence,
        (select value from settings where name = 'mode') as mode, exists (select 1 from packs),
        exists (select 1 from versions), exists (select 1 from keys) from catalog_state`.execute(probes)
      const { sequence, mode } = rows[0]!
      return { sequence, mode: parseMode(mode) }
    },
    waitForConnection: () => reads.connection().execute(() => Promise.resolve()),
    close: () => database.close(),
  }
}

/**
 * Storage of packs, their versions, accounts, keys and the operating mode.
 *
 * Every method can throw a `CatalogError`: `catalog_unavailable` if the database cannot answer,
 * `catalog_damaged` if a row cannot be read.
 */
export interface Catalog {
  readonly packs: PackStore
  readonly results: ResultCache
  readonly signatures: { readonly add: Method<typeof addSignature> }
  readonly sources: SourceStore
  readonly inventory: Inventory
  readonly accounts: AccountStore
  readonly keys: KeyStore
  readonly tokens: TokenStore
  readonly quota: QuotaStore
  readonly settings: SettingStore
  readonly jobs: JobStore
  /** Reads the audit log. Entries are written only by the changes that they record. */
  readonly audit: { readonly list: Method<typeof listAudit> }
  readonly maintenance: MaintenanceStore
  readonly search: SearchIndex
  /** The open database, for packages that keep tables of their own in it. The catalog closes it. */
  readonly database: LentDatabase
  /** Megabytes that the server is to take. */
  readonly memory: number
  /** Sequence number of the last change of a pack or a version; 0 for an empty catalog. */
  sequence(): Promise<number>
  /** Reads also the tables of packs and keys. In Postgres, fails after at most four seconds. */
  state(): Promise<CatalogState>
  /** Resolves once a connection of the pool is free, without using it. */
  waitForConnection(): Promise<void>
  close(): Promise<void>
}

/** Runs queries on tables that the catalog does not know. */
type LentQueries = Kysely<unknown>

/** A database connection that stays the catalog's to close. */
export interface LentDatabase {
  readonly type: 'sqlite' | 'postgres'
  /** Its queries throw `catalog_unavailable` if the database cannot answer. */
  readonly db: LentQueries
  /** The URL with its password, for threads; `null` in memory. A function: so no log has it. */
  url(): string | null
  /** Runs work that may hide errors of its queries; `catalog_unavailable` is thrown in any case. */
  readonly keepFailure: <T>(work: () => Promise<T>) => Promise<T>
}

const TABLE = 'migrations'

/** The steps of the schema. They run in the order of their names. */
function listSteps(database: Database): Readonly<Record<string, Migration>> {
  return { '0001-catalog': { up: (transaction) => createTables(transaction as Queries, database) } }
}

/**
 * Runs missing steps in one transaction. Of several processes one runs them, others wait.
 * @throws CatalogError `schema_too_old` or `schema_too_new`
 */
async function migrate(database: Database): Promise<void> {
  if ((await listPending(database)).length === 0) return
  const migrator = new Migrator({
    db: database.queries,
    provider: { getMigrations: () => Promise.resolve(listSteps(database)) },
    migrationTableName: TABLE,
    migrationLockTableName: 'migration_lock',
  })
  const { error } = await migrator.migrateToLatest()
  if (error !== undefined) throw error as Error
}

/** @throws CatalogError `schema_too_old`, `schema_too_new`, `catalog_unavailable` without a step */
async function requireMigrated(database: Database): Promise<void> {
  const [first] = await listPending(database)
  if (first === undefined) return
  throw new CatalogError(
    'catalog_unavailable',
    `The database has an older schema and was opened read-only: it lacks the step ${first}`,
    'Start `pack serve` or publish a pack: both migrate the schema. If one of them is migrating, wait for it.',
  )
}

async function listPending(database: Database): Promise<readonly string[]> {
  const { queries, dialect } = database
  const steps = Object.keys(listSteps(database))
  if (await dialect.hasTable(queries, 'catalog_migrations'))
    throw new CatalogError(
      'schema_too_old',
      'This is a database of Packs 0.3 or older, which this program does not read and has not changed',
      'Name a new database in DATABASE_URL and publish the sources into it; accounts, keys and version numbers do not move there.',
    )
  if (!(await dialect.hasTable(queries, TABLE))) return steps
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(TABLE)}`.execute(queries)
  const done = new Set(rows.map(({ name }) => name))
  const unknown = [...done].filter((name) => !steps.includes(name))
  if (unknown.length > 0)
    throw new CatalogError(
      'schema_too_new',
      `The database was written by a newer version of this program: the step ${unknown.toSorted().join(', ').slice(0, 80)} is unknown`,
      'Run the newest version of this program that has opened the database, or restore an older backup.',
    )
  return steps.filter((name) => !done.has(name))
}
