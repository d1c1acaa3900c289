import type { TestContext } from 'vitest'

declare module 'vitest' {
  interface TaskMeta {
    /** Measurement of a fault test. */
    figure?: string
  }
}

/** Records the measurement of a test for the table of `pnpm test:faults`. */
export function reportFigure({ task }: TestContext, figure: string): void {
  task.meta.figure = figure
}

/** Formats the time between two values of `performance.now()`. */
export function formatDuration(since: number, until: number = performance.now()): string {
  const seconds = (until - since) / 1000
  return seconds < 1 ? `${Math.round(seconds * 1000)} ms` : `${seconds.toFixed(1)} s`
}
