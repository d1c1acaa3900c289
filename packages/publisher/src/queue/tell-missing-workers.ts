import type { RunOptions } from '../runner.ts'
import type { PublishQueue } from './open-queue.ts'

/** Tells who waits that nobody works. */
export async function tellMissingWorkers(
  { queue, ask }: PublishQueue,
  { onNote }: RunOptions,
): Promise<void> {
  if ((await ask(() => queue.getWorkersCount())) === 0)
    onNote?.('no worker runs; start one with `pack worker`')
}
