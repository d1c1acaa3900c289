/**
 * Finds the ends of code spans in the text up to an offset, in linear time if offsets ascend.
 *
 *     code-span = "`"{n} text "`"{n}      (no other run of n backticks in between)
 */
export class CodeSpans {
  private readonly text: string
  private readonly end: number
  /** Ends of the runs of backticks, by length. */
  private runs: Map<number, { ends: number[]; next: number }> | undefined

  constructor(text: string, end: number = text.length) {
    this.text = text
    this.end = end
  }

  /** End of the code span that the run at an offset opens; -1 if it opens none. */
  findEnd(at: number): number {
    const length = countBackticks(this.text, at)
    const run = (this.runs ??= this.findRuns(at)).get(length)
    while (run !== undefined && run.ends[run.next]! < at + 2 * length) run.next++
    return run?.ends[run.next] ?? -1
  }

  private findRuns(from: number): Map<number, { ends: number[]; next: number }> {
    const runs = new Map<number, { ends: number[]; next: number }>()
    for (let at = from; at >= 0 && at < this.end; at = this.text.indexOf('`', at)) {
      const length = countBackticks(this.text, at)
      at += length
      const same = runs.get(length)
      if (same === undefined) runs.set(length, { ends: [at], next: 0 })
      else same.ends.push(at)
    }
    return runs
  }
}

/** Length of the run of backticks at an offset. */
export function countBackticks(text: string, start: number): number {
  let end = start
  while (text.charCodeAt(end) === 96) end++
  return end - start
}
