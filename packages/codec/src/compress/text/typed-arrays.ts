/** Smaller arrays are left to the garbage collector, in bytes. */
const WORTH_FREEING = 1 << 19

// Node 20 has none: there they wait for the collector too.
const { transfer } = ArrayBuffer.prototype as Partial<ArrayBuffer>

/**
 * Gives the memory of `arrays` back at once, and not when garbage is collected next, which megabytes of them hardly
 * hasten. Large ones are empty from then on: only for arrays that nothing else holds.
 */
export function freeArrays(...arrays: readonly ArrayBufferView[]): void {
  for (const array of arrays) {
    if (array.byteLength < WORTH_FREEING) continue
    const { buffer } = array
    if (buffer instanceof ArrayBuffer) transfer?.call(buffer, 0)
  }
}

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
