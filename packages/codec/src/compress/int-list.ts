/** A growing list of 32-bit integers. */
export class IntList {
  length = 0
  private data: Int32Array

  constructor(capacity = 1024) {
    this.data = new Int32Array(capacity)
  }

  push(value: number): void {
    if (this.length === this.data.length) {
      const grown = new Int32Array(this.length * 2)
      grown.set(this.data)
      this.data = grown
    }
    this.data[this.length++] = value
  }

  /** Keeps the values marked 1. */
  keep(marks: ArrayLike<number>): void {
    let kept = 0
    for (let at = 0; at < this.length; at++) if (marks[at] === 1) this.data[kept++] = this.data[at]!
    this.length = kept
  }

  /** The values so far, a view. */
  values(): Int32Array {
    return this.data.subarray(0, this.length)
  }
}
