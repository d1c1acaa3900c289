export interface Progress {
  /** Adds a part to those that are to be done, of this much work in any unit. */
  readonly expect: (work: number) => void
  /** Counts one more part as done, of this much work. */
  readonly advance: (work?: number) => void
  /** Clears the line until it is shown again, so that something else can be printed. */
  readonly hide: () => void
  readonly stop: () => void
}

const DELAY_MS = 300

/** A line on stderr that is written again and again, only on a terminal. */
function createLine(isQuiet: boolean): { readonly show: (text: string) => void; readonly hide: () => void } {
  const isOff = isQuiet || !process.stderr.isTTY || process.env['TERM'] === 'dumb'
  let isShown = false
  return {
    show(text) {
      if (isOff) return
      isShown = true
      process.stderr.write(`\r\u001B[K${text}`)
    },
    hide() {
      if (isShown) process.stderr.write('\r\u001B[K')
      isShown = false
    },
  }
}

/** Shows a line on stderr, after a short delay and until it is stopped, only on a terminal. */
export function repeatLine(
  isQuiet: boolean,
  write: () => string | undefined,
): Pick<Progress, 'hide' | 'stop'> {
  const line = createLine(isQuiet)
  const timer = setInterval(() => {
    const text = write()
    if (text !== undefined) line.show(text)
  }, DELAY_MS)
  timer.unref()
  return {
    hide: line.hide,
    stop() {
      clearInterval(timer)
      line.hide()
    },
  }
}

/** Shows a line like `building 120/300, about 8 s left`, with the time if the work is known. */
export function startProgress(label: string, total: number, isQuiet: boolean): Progress {
  const begin = performance.now()
  let [parts, work, done, workDone] = [total, 0, 0, 0]
  const line = repeatLine(isQuiet, () => {
    if (parts === 0) return undefined
    return `${label} ${done}/${parts}${formatTimeLeft(performance.now() - begin, workDone, work)}`
  })
  return {
    ...line,
    expect(more) {
      parts++
      work += more
    },
    advance(more = 0) {
      done++
      workDone += more
    },
  }
}

/** Does a task for each item in turn, with a line of {@link startProgress} meanwhile. */
export async function mapInTurn<Item, Result>(
  label: string,
  items: readonly Item[],
  isQuiet: boolean,
  task: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const progress = startProgress(label, items.length, isQuiet)
  const results: Result[] = []
  try {
    for (const item of items) {
      results.push(await task(item))
      progress.advance()
    }
    return results
  } finally {
    progress.stop()
  }
}

/** Before this time, and before this share of the work, an estimate says little. */
const FIRST_ESTIMATE = { ms: 1000, share: 0.02 }

/** Returns a text like `, about 8 s left`, empty while too little is done to tell. */
function formatTimeLeft(elapsedMs: number, done: number, work: number): string {
  if (elapsedMs < FIRST_ESTIMATE.ms || done < FIRST_ESTIMATE.share * work || done === 0) return ''
  const seconds = Math.ceil((elapsedMs * (work - done)) / done / 1000)
  if (seconds <= 0) return ''
  return seconds < 90 ? `, about ${seconds} s left` : `, about ${Math.round(seconds / 60)} min left`
}

/** Shows a line like `composing a prompt of 15 packs, 4 s` while something runs. */
export function startActivity(label: string, isQuiet: boolean): Pick<Progress, 'stop'> {
  const begin = performance.now()
  return repeatLine(isQuiet, () => {
    const seconds = Math.floor((performance.now() - begin) / 1000)
    return `${label}${seconds === 0 ? '' : `, ${seconds} s`}`
  })
}

const WIDTH = 24

/** Shows a bar like `publishing [######..................] 25 %` on stderr, only on a terminal. */
export function startProgressBar(
  label: string,
  isQuiet: boolean,
): Pick<Progress, 'stop'> & { readonly show: (percent: number) => void } {
  const line = createLine(isQuiet)
  let shown = -1
  return {
    show: (percent) => {
      const whole = Math.min(100, Math.max(0, Math.floor(percent)))
      if (whole === shown) return
      shown = whole
      const bar = '#'.repeat(Math.round((WIDTH * whole) / 100)).padEnd(WIDTH, '.')
      line.show(`${label} [${bar}] ${whole} %`)
    },
    stop: line.hide,
  }
}
