/** Shows how far long work is. */
export interface Progress {
  /** Says that another part is done. */
  readonly advance: () => void
  /** Takes the line away. */
  readonly stop: () => void
}

const DELAY_MS = 300

/** Starts a line like `building 3/90` on stderr after a short delay; nothing where that is no terminal. */
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
