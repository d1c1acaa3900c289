import type { Database } from '../database/dialect.ts'
import type { Queries } from '../database/schema.ts'

/** A step of the schema. What is released is never changed: what comes later is another step. */
export interface Migration {
  readonly name: string
  up(transaction: Queries, database: Database): Promise<void>
}
