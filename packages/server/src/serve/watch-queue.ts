import { withTimeLimit } from '@packs/catalog'
import type { PublishQueue, QueueFigures } from '@packs/publisher/queue'

/** The publish queue, whose Redis may not answer. */
export interface QueueWatch {
  /** Measures the queue; returns `undefined` if that takes over a second or fails. */
  measure(): Promise<QueueFigures | undefined>
  /** Returns the open queue if it has just been measured. */
  find(): Promise<PublishQueue | undefined>
}

/** Milliseconds that a measurement may take. */
const MAX_MEASURE_MS = 1000

/** Creates a watch of the queue. */
export function watchQueue(open: () => Promise<PublishQueue>, now: () => number): QueueWatch {
  const measure = createMeasurement(async () => {
    const queue = await open()
    const { measureQueue } = await import('@packs/publisher/queue')
    return { queue, figures: await measureQueue(queue, now()) }
  })
  return {
    measure: async () => (await measure())?.figures,
    find: async () => (await measure())?.queue,
  }
}

/** Returns a function that measures once at a time, however many ask; `undefined` if that fails or takes over a second. */
export function createMeasurement<T>(measure: () => Promise<T>): () => Promise<T | undefined> {
  let running: Promise<T | undefined> | undefined
  return () => {
    running ??= measure()
      .catch(() => undefined)
      .finally(() => (running = undefined))
    return withTimeLimit(running, MAX_MEASURE_MS, () => undefined)
  }
}
