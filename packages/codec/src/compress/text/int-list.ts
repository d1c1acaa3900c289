import { freeArrays } from './free-arrays.ts'

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
      freeArrays(this.data)
      this.data = grown
    }
    this.data[this.length++] = value
  }

  /** Removes the last value. */
  pop(): void {
    this.length--
  }

  /** The values so far, a view as long as the list does not grow. */
  values(): Int32Array {
    return this.data.subarray(0, this.length)
  }

  /** The values, without room for more; ends the list. */
  take(): Int32Array {
    const values = this.data.slice(0, this.length)
    freeArrays(this.data)
    return values
  }
}
