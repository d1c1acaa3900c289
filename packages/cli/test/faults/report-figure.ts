import type { TestContext } from 'vitest'

declare module 'vitest' {
  interface TaskMeta {
    /** What a test of a fault measured. */
    figure?: string
  }
}

/** Leaves what a test measured for the table of `pnpm test:faults`. */
export function reportFigure({ task }: TestContext, figure: string): void {
  task.meta.figure = figure
}

/** Seconds since a moment of `performance.now()`, for people. */
export function formatDuration(since: number, until: number = performance.now()): string {
  const seconds = (until - since) / 1000
  return seconds < 1 ? `${Math.round(seconds * 1000)} ms` : `${seconds.toFixed(1)} s`
}
