/** Whole numbers, without an object for each. */
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

  pop(): void {
    this.length--
  }

  /** Returns a view of the values, valid until the list grows. */
  values(): Int32Array {
    return this.data.subarray(0, this.length)
  }

  take(): Int32Array {
    return this.data.slice(0, this.length)
  }
}
