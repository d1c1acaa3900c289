import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

/** How long a migration took, and in SQLite its longest transactions, in milliseconds. */
export interface MigratorFigures {
  readonly seconds: number
  readonly longestBatch: number
  readonly longestIndex: number
}

// Opens the catalog with the program at a path, which migrates it, and prints the figures.
const [url = '', program = ''] = process.argv.slice(2)
const { openCatalog } = (await import(pathToFileURL(program).href)) as {
  openCatalog: (options: { url: string }) => Promise<{ close(): Promise<void> }>
}
const longest = { batch: 0, index: 0 }
if (!url.startsWith('postgres')) observeSqlite()
const start = performance.now()
const catalog = await openCatalog({ url })
const figures: MigratorFigures = {
  seconds: (performance.now() - start) / 1000,
  longestBatch: longest.batch,
  longestIndex: longest.index,
}
await catalog.close()
process.stdout.write(`${JSON.stringify(figures)}\n`)

interface Statement {
  run(...parameters: unknown[]): unknown
  all(...parameters: unknown[]): unknown
}

/** Times every transaction from the moment it has the lock until it is committed. */
function observeSqlite(): void {
  const load = createRequire(new URL('../../packages/catalog/package.json', import.meta.url))
  const { prototype } = load('better-sqlite3') as {
    prototype: { prepare: (this: unknown, sql: string) => Statement }
  }
  const { prepare } = prototype
  let begun: number | undefined
  let kind: keyof typeof longest = 'batch'
  prototype.prepare = function (sql) {
    const statement = prepare.call(this, sql)
    for (const method of ['run', 'all'] as const) {
      const original = statement[method]
      statement[method] = (...parameters) => {
        const from = performance.now()
        const result = original.apply(statement, parameters)
        if (sql === 'begin immediate') {
          begun = performance.now()
          kind = 'batch'
        }
        if (sql.startsWith('create index')) kind = 'index'
        if (begun === undefined && kind === 'index')
          longest.index = Math.max(longest.index, performance.now() - from)
        if (sql === 'commit' && begun !== undefined) {
          longest[kind] = Math.max(longest[kind], performance.now() - begun)
          begun = undefined
        }
        return result
      }
    }
    return statement
  }
}
