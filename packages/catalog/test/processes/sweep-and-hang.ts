import { openCatalog } from '@packs/catalog'
import { createHold, sweepExpired } from '../../src/maintenance/create-maintenance-store.ts'

// Deletes one batch of expired rows, reports it, and then does nothing until it is killed.
const [url = '', time = ''] = process.argv.slice(2)
const catalog = await openCatalog({ url })
setInterval(() => undefined, 1000)
const now = (): Date => new Date(time)
await sweepExpired(catalog, {
  hold: createHold(catalog.maintenance, 'killed', now),
  now,
  onRemoved: (kind, rows) => process.stdout.write(`${kind} ${rows}\n`),
  pause: () => new Promise(() => undefined),
})
