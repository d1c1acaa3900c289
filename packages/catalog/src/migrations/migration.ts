import type { Database } from '../database/dialect.ts'
import type { Queries } from '../database/schema.ts'

/** A step of the schema. A released step never changes; later changes are new steps. */
export interface Migration {
  readonly name: string
  up(transaction: Queries, database: Database): Promise<void>
}
