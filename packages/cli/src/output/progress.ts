import { readColumns, writeNote } from './terminal.ts'

export interface Progress {
  /** Says that a part takes this much work, in any unit. */
  readonly expect: (work: number) => void
  /** Counts one more part as done, of this much work. */
  readonly advance: (work?: number) => void
  readonly show: (done: number, total: number, note?: string) => void
  readonly stop: () => void
}

const DELAY_MS = 300
/** A log gets a line now and then. */
const LOG_MS = 30_000

/** Shows a line on stderr, after a short delay and until it is stopped. */
function repeatLine(isQuiet: boolean, write: () => string | undefined): Pick<Progress, 'stop'> {
  if (isQuiet) return { stop: () => undefined }
  const isLive = process.stderr.isTTY && process.env['TERM'] !== 'dumb'
  let isShown = false
  const show = (): void => {
    const text = write()
    if (text === undefined) return
    if (!isLive) return writeNote(text)
    isShown = true
    process.stderr.write(`\r\u001B[K${text.slice(0, readColumns(process.stderr) - 1)}`)
  }
  const timer = setInterval(show, isLive ? DELAY_MS : LOG_MS)
  timer.unref()
  return {
    stop() {
      clearInterval(timer)
      if (isShown) process.stderr.write('\r\u001B[K')
    },
  }
}

/** Shows a line like `building ████░░░░░░ 120/300, about 8 s left`. */
export function startProgress(label: string, total: number, isQuiet: boolean): Progress {
  const begin = performance.now()
  let [parts, work, done, workDone, note] = [total, 0, 0, 0, '']
  const { stop } = repeatLine(isQuiet, () => {
    if (parts === 0) return undefined
    const isWide = readColumns(process.stderr) >= 60
    const bar = isWide ? `${'█'.repeat(Math.floor((10 * done) / parts)).padEnd(10, '░')} ` : ''
    const [of, all] = work > 0 ? [workDone, work] : [done, parts]
    return `${label} ${bar}${done}/${parts}${note}${formatTimeLeft(performance.now() - begin, of, all)}`
  })
  return {
    stop,
    expect(more) {
      work += more
    },
    advance(more = 0) {
      done++
      workDone += more
    },
    show(now, all, more = '') {
      ;[done, parts, note] = [now, all, more]
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

/** Does something with a line of {@link startActivity} meanwhile. */
export async function withActivity<Result>(
  label: string,
  isQuiet: boolean | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  const activity = startActivity(label, isQuiet ?? false)
  return work().finally(activity.stop)
}
