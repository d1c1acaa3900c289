import { writeSync } from 'node:fs'
import { openDatabase } from '../../src/database/open-database.ts'
import { migrate, migrations } from '../../src/migrations/migrate.ts'
import type { Migration } from '../../src/migrations/steps/migration.ts'

// Migrates up to step 0005. Freezes before it commits the given phase of a step, such as `up 0003-list-orders`, and at the given
// action of its log, such as `indexing 0003-list-orders`; it prints each of them first. It ends if nobody kills it. Reads so many rows a batch. Prints `done` at the end.
const [url = '', freezeAt = '', rows = '3'] = process.argv.slice(2)

function pass(place: string): void {
  writeSync(1, `${place}\n`)
  if (place !== freezeAt) return
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 180_000)
  process.exit(1)
}

function observe(step: Migration): Migration {
  return {
    ...step,
    async up(transaction, database) {
      await step.up(transaction, database)
      pass(`up ${step.name}`)
    },
    ...(step.backfill && {
      async backfill(transaction, { position }, database) {
        const result = await step.backfill!(transaction, { position, rows: Number(rows) }, database)
        pass(`${position === undefined ? 'first' : 'later'} batch ${step.name}`)
        return result
      },
    }),
  }
}

const database = await openDatabase({
  url,
  now: () => new Date('2026-02-03T04:05:06.789Z'),
  lockTimeout: 10_000,
  readOnly: false,
})
await migrate(database, {
  steps: migrations.slice(0, 5).map(observe),
  pace: { lockMs: 250, patienceMs: 60_000, stallMs: 60_000, random: () => 0 },
  log: ({ action, step, index = '' }) => pass(`${action} ${step} ${index}`.trim()),
})
await database.close()
writeSync(1, 'done\n')
