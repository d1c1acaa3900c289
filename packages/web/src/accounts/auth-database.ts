import type { Kysely } from 'kysely'

/** Runs queries; better-auth names tables and columns at run time. */
export type AuthQueries = Kysely<unknown>

/** The connections that sign-in has to the catalog's database. */
export interface AuthDatabase {
  readonly type: 'sqlite' | 'postgres'
  readonly db: AuthQueries
  close(): Promise<void>
}
