/** A growing list of `[start, end)` ranges; touching ones are joined. Add them in rising order. */
export class RangeList {
  private values: Int32Array<ArrayBuffer>
  private length = 0

  constructor(capacity: number) {
    this.values = new Int32Array(2 * capacity + 16)
  }

  add(start: number, end: number): void {
    if (end <= start) return
    const { values, length } = this
    if (length > 0 && values[length - 1]! >= start) {
      if (end > values[length - 1]!) values[length - 1] = end
      return
    }
    if (length + 2 > values.length) {
      this.values = new Int32Array(2 * values.length)
      this.values.set(values)
    }
    this.values[length] = start
    this.values[length + 1] = end
    this.length = length + 2
  }

  toArray(): Int32Array<ArrayBuffer> {
    return this.values.slice(0, this.length)
  }
}

/** Adds the pipes between two offsets that are not escaped. */
export function addPipes(text: string, start: number, end: number, ranges: RangeList): void {
  for (let offset = start; offset < end; offset++) {
    const code = text.charCodeAt(offset)
    if (code === 124) ranges.add(offset, offset + 1)
    else if (code === 92) offset++
  }
}
