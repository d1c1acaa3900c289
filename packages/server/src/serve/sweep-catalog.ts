import { startSweeper, sweepKinds, type Catalog, type RepeatedTask } from '@packs/catalog'
import type { Logger } from 'pino'
import { Counter, Gauge, type Registry } from 'prom-client'

/** Deletes expired rows as long as the server runs, with log lines and metrics. */
export function sweepCatalog(catalog: Catalog, registry: Registry, log: Logger): RepeatedTask {
  const registers = [registry]
  const rows = new Counter({
    name: 'packs_sweep_rows_total',
    help: 'Expired rows deleted by this server, by kind',
    labelNames: ['kind'],
    registers,
  })
  const failures = new Counter({
    name: 'packs_sweep_failures_total',
    help: 'Failed batches of the sweep of expired rows, by kind',
    labelNames: ['kind'],
    registers,
  })
  const success = new Gauge({
    name: 'packs_sweep_last_success_timestamp_seconds',
    help: 'When this server last swept all kinds of expired rows; 0 if another server does it',
    registers,
  })
  for (const kind of sweepKinds) {
    rows.inc({ kind }, 0)
    failures.inc({ kind }, 0)
  }
  failures.inc({ kind: 'lease' }, 0)
  let removed: Record<string, number> = {}
  return startSweeper(catalog, {
    onRemoved(kind, count) {
      rows.inc({ kind }, count)
      removed[kind] = (removed[kind] ?? 0) + count
    },
    // The message of an unexpected error may contain values.
    onFailure(kind, error) {
      failures.inc({ kind })
      log.error(
        { kind, code: describeCode(error) },
        'expired rows could not be deleted; trying again in a minute',
      )
    },
    onFinished(time) {
      success.set(Math.floor(time.getTime() / 1000))
      if (Object.keys(removed).length > 0) log.info({ rows: removed }, 'expired rows deleted')
      removed = {}
    },
  })
}

function describeCode(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
