import { DatabaseSync } from 'node:sqlite'

/** Changes an SQLite database behind the back of its catalog. */
export function changeDatabase(url: string, sql: string): void {
  const database = new DatabaseSync(url)
  database.exec(sql)
  database.close()
}
