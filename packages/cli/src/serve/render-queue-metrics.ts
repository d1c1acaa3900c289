import { measureQueue, type PublishQueue } from '@packs/publisher/queue'
import { Gauge, Registry } from 'prom-client'

/**
 * Renders the figures of the queue as Prometheus reads them.
 *
 * @param now milliseconds since 1970
 * @throws PublishError where Redis cannot be reached
 * @example
 * response.type('text/plain; version=0.0.4').send(await renderQueueMetrics(queue, Date.now()))
 */
export async function renderQueueMetrics(queue: PublishQueue, now: number): Promise<string> {
  const { jobs, workers, oldestWait } = await measureQueue(queue, now)
  const registry = new Registry()
  const registers = [registry]
  const states = new Gauge({
    name: 'packs_queue_jobs',
    help: 'Publishes in the queue, by state',
    labelNames: ['state'],
    registers,
  })
  for (const [state, count] of Object.entries(jobs)) states.set({ state }, count)
  new Gauge({ name: 'packs_queue_workers', help: 'Workers of the publish queue', registers }).set(workers)
  new Gauge({
    name: 'packs_queue_oldest_wait_seconds',
    help: 'Seconds that the next publish has been waiting',
    registers,
  }).set(oldestWait / 1000)
  return registry.metrics()
}
