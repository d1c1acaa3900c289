/** Ends of the code spans in a text: finds for a backtick run the next one of equal length, in linear time. */
export class CodeSpans {
  private readonly text: string
  /** Starts of the runs in the region, and for each the index of the next run of its length, -1 if none. */
  private starts: number[] = []
  private nexts: Int32Array = new Int32Array(0)
  /** First run after the region last loaded: most regions have none and need no search. */
  private ahead = -1
  private cursor = 0

  constructor(text: string) {
    this.text = text
  }

  /** Prepares for questions about `[start, end)`, asked in rising order; regions too come in rising order. */
  load(start: number, end: number): void {
    this.cursor = 0
    if (this.starts.length > 0) this.starts = []
    if (this.ahead < start) this.ahead = this.findRun(start)
    if (this.ahead >= end) return
    const { starts } = this
    while (this.ahead < end) {
      starts.push(this.ahead)
      this.ahead = this.findRun(this.ahead + this.runLength(this.ahead))
    }
    this.nexts = new Int32Array(starts.length).fill(-1)
    const last = new Map<number, number>()
    for (let index = starts.length - 1; index >= 0; index--) {
      const length = this.runLength(starts[index]!)
      this.nexts[index] = last.get(length) ?? -1
      last.set(length, index)
    }
  }

  runLength(start: number): number {
    let offset = start
    while (this.text.charCodeAt(offset) === 96) offset++
    return offset - start
  }

  /** End of the code span that the run at `start` opens, -1 if it opens none. */
  findEnd(start: number): number {
    while (this.cursor < this.starts.length && this.starts[this.cursor]! < start) this.cursor++
    const next = this.starts[this.cursor] === start ? this.nexts[this.cursor]! : -1
    if (next < 0) return -1
    const close = this.starts[next]!
    return close + this.runLength(close)
  }

  private findRun(from: number): number {
    const found = this.text.indexOf('`', from)
    return found < 0 ? this.text.length : found
  }
}
