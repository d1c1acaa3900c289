import { measureQueue, type PublishQueue, type QueueFigures } from '@packs/publisher/queue'

/** The publish queue, whose Redis may not answer. */
export interface QueueWatch {
  /** Measures the queue; returns `undefined` if that takes over a second or fails. */
  measure(): Promise<QueueFigures | undefined>
  /** Returns the open queue if it has just been measured. */
  find(): Promise<PublishQueue | undefined>
}

/** Milliseconds that a measurement may take. */
const MAX_MEASURE_MS = 1000

/** Creates a watch that measures once at a time, however many ask. */
export function watchQueue(open: () => Promise<PublishQueue>, now: () => number): QueueWatch {
  let running: Promise<Measurement | undefined> | undefined

  const start = async (): Promise<Measurement | undefined> => {
    try {
      const queue = await open()
      return { queue, figures: await measureQueue(queue, now()) }
    } catch {
      return undefined
    } finally {
      running = undefined
    }
  }

  const measure = (): Promise<Measurement | undefined> => {
    running ??= start()
    return settleWithin(running, MAX_MEASURE_MS)
  }

  return {
    measure: async () => (await measure())?.figures,
    find: async () => (await measure())?.queue,
  }
}

interface Measurement {
  readonly queue: PublishQueue
  readonly figures: QueueFigures
}

/** Waits for a promise at most this long; returns `undefined` after that time. */
export async function settleWithin<T>(promise: Promise<T>, milliseconds: number): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => late.resolve(undefined), milliseconds)
  try {
    return await Promise.race([promise, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
