/** A counter of finished parts. */
export interface Progress {
  /** Counts one more part as done. */
  readonly advance: () => void
  /** Clears the line. */
  readonly stop: () => void
}

const DELAY_MS = 300

/** Shows a line like `building 3/90` on stderr, after a short delay and only on a terminal. */
export function startProgress(label: string, total: number, isQuiet: boolean): Progress {
  if (isQuiet || !process.stderr.isTTY || process.env['TERM'] === 'dumb') {
    return { advance: () => undefined, stop: () => undefined }
  }
  let done = 0
  let isShown = false
  const show = (): void => {
    isShown = true
    process.stderr.write(`\r\u001B[K${label} ${done}/${total}`)
  }
  const timer = setInterval(show, DELAY_MS)
  timer.unref()
  return {
    advance: () => void done++,
    stop: () => {
      clearInterval(timer)
      if (isShown) process.stderr.write('\r\u001B[K')
    },
  }
}

/** A progress bar. */
export interface ProgressBar {
  readonly show: (percent: number) => void
  /** Clears the bar. */
  readonly stop: () => void
}

/** Width of the bar in characters. */
const WIDTH = 24

/** Shows a bar like `publishing [######..................] 25 %` on stderr, only on a terminal. */
export function startProgressBar(label: string, isQuiet: boolean): ProgressBar {
  if (isQuiet || !process.stderr.isTTY || process.env['TERM'] === 'dumb') {
    return { show: () => undefined, stop: () => undefined }
  }
  let shown = -1
  return {
    show: (percent) => {
      const whole = Math.min(100, Math.max(0, Math.floor(percent)))
      if (whole === shown) return
      shown = whole
      process.stderr.write(`\r\u001B[K${label} ${drawBar(whole)} ${whole} %`)
    },
    stop: () => {
      if (shown >= 0) process.stderr.write('\r\u001B[K')
    },
  }
}

function drawBar(percent: number): string {
  const filled = Math.round((WIDTH * percent) / 100)
  return `[${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}]`
}
