import { openCatalog } from '@packs/catalog'
import { sweepExpired } from '../../src/maintenance/start-sweeper.ts'

// Deletes one batch of expired rows, reports it, and then does nothing until it is killed.
const [url = '', time = ''] = process.argv.slice(2)
const catalog = await openCatalog({ url })
setInterval(() => undefined, 1000)
await sweepExpired(catalog, {
  holder: 'killed',
  now: () => new Date(time),
  onRemoved: (kind, rows) => process.stdout.write(`${kind} ${rows}\n`),
  pause: () => new Promise(() => undefined),
})
