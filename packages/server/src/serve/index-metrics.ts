import type { Catalog, IndexState } from '@packs/catalog'
import { Gauge, Registry } from 'prom-client'
import { createMeasurement } from './watch-queue.ts'

const STATUSES = ['ready', 'building', 'missing', 'damaged'] as const

/** Renders metrics of the search index in the text format of Prometheus; none if its state cannot be read within a second. */
export type IndexMetrics = () => Promise<string>

/** Creates metrics that read the state once at a time, however many ask. */
export function createIndexMetrics({ search }: Pick<Catalog, 'search'>): IndexMetrics {
  const measure = createMeasurement(() => search.state())
  return async () => {
    const state = await measure()
    return state === undefined ? '' : renderState(state)
  }
}

async function renderState(state: IndexState): Promise<string> {
  const registry = new Registry()
  const registers = [registry]
  const states = new Gauge({
    name: 'packs_search_index_state',
    help: '1 for the state that the search index is in, 0 for others',
    labelNames: ['state'],
    registers,
  })
  for (const status of STATUSES) states.set({ state: status }, status === state.status ? 1 : 0)
  new Gauge({
    name: 'packs_search_index_waiting',
    help: 'Packs whose latest version is not in the search index, counted up to 10,000',
    registers,
  }).set(state.waiting)
  return registry.metrics()
}
