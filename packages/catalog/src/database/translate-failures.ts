import { AsyncLocalStorage } from 'node:async_hooks'
import type { DatabaseConnection, Dialect as QueryDialect, Driver } from 'kysely'
import { CatalogError } from '../catalog-error.ts'
import type { Dialect } from './database.ts'

/** Converts an error that means that the database cannot answer; returns any other unchanged. */
export function toCatalogError(error: unknown, dialect: Pick<Dialect, 'explainFailure'>): unknown {
  if (error instanceof CatalogError || !(error instanceof Error)) return error
  const reason = dialect.explainFailure(error)
  if (reason === undefined) return error
  return new CatalogError(
    'catalog_unavailable',
    `The database cannot answer: ${reason}`,
    'No change was applied in part. Check that its URL and password are right, that it is running, has disk space and is not locked, then try again. If it is damaged, restore a backup.',
    { cause: error },
  )
}

/** What a statement itself may cause, or waiting does not cure: time, locks, memory, damage. */
const NO_OUTAGE =
  /^(?:40|42|53200|55|57014|XX|SQLITE_(?:BUSY|LOCKED|PROTOCOL|NOMEM|CORRUPT|NOTADB|ERROR)|Query read timeout)/

/** Whether the database is away, refuses all work or has no space, whatever the statement was. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof CatalogError) || error.code !== 'catalog_unavailable') return false
  const { code, message = '' } = (error.cause ?? {}) as { readonly code?: string; readonly message?: string }
  return message !== '' && !NO_OUTAGE.test(code ?? message)
}

/** The driver's code, even if the error was converted since. */
export function readDriverCode(error: unknown): unknown {
  const thrown = error instanceof CatalogError ? error.cause : error
  return (thrown as { readonly code?: unknown } | undefined)?.code
}

interface KeptFailure {
  failure: CatalogError | undefined
}

const kept = new AsyncLocalStorage<KeptFailure>()

/** Runs work that may hide errors of its queries; `catalog_unavailable` is thrown in any case. */
export async function keepFailure<T>(work: () => Promise<T>): Promise<T> {
  const state: KeptFailure = { failure: undefined }
  try {
    const result = await kept.run(state, work)
    if (state.failure === undefined) return result
  } catch (error) {
    throw state.failure ?? error
  }
  throw state.failure
}

/** Lets every statement throw `catalog_unavailable` if the database cannot answer. */
export function translateFailures(inner: QueryDialect, dialect: Dialect): QueryDialect {
  const attempt: Attempt = async (work) => {
    try {
      return await work()
    } catch (error) {
      const translated = toCatalogError(error, dialect)
      const state = kept.getStore()
      if (state !== undefined && translated instanceof CatalogError) state.failure ??= translated
      throw translated
    }
  }
  return {
    createAdapter: () => inner.createAdapter(),
    createQueryCompiler: () => inner.createQueryCompiler(),
    createIntrospector: (queries) => inner.createIntrospector(queries),
    createDriver: () => translateDriver(inner.createDriver(), attempt),
  }
}

type Attempt = <T>(work: () => Promise<T>) => Promise<T>

interface TranslatingConnection extends DatabaseConnection {
  readonly inner: DatabaseConnection
}

function translateDriver(driver: Driver, attempt: Attempt): Driver {
  return {
    init: () => attempt(() => driver.init()),
    async acquireConnection(): Promise<TranslatingConnection> {
      const inner = await attempt(() => driver.acquireConnection())
      return {
        inner,
        executeQuery: (query) => attempt(() => inner.executeQuery(query)),
        streamQuery: (query, chunkSize) => inner.streamQuery(query, chunkSize),
      }
    },
    beginTransaction: (connection, settings) =>
      attempt(() => driver.beginTransaction(unwrap(connection), settings)),
    commitTransaction: (connection) => attempt(() => driver.commitTransaction(unwrap(connection))),
    rollbackTransaction: (connection) => attempt(() => driver.rollbackTransaction(unwrap(connection))),
    releaseConnection: (connection) => driver.releaseConnection(unwrap(connection)),
    destroy: () => driver.destroy(),
  }
}

/** The driver knows its own connections only. */
function unwrap(connection: DatabaseConnection): DatabaseConnection {
  return (connection as TranslatingConnection).inner
}
