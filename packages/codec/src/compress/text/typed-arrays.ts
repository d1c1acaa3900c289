/** Arrays below this size in bytes are left to the garbage collector. */
const WORTH_FREEING = 1 << 19

// Node 20 has no `transfer`, so the garbage collector frees all arrays there.
const { transfer } = ArrayBuffer.prototype as Partial<ArrayBuffer>

/**
 * Frees the memory of `arrays` immediately, because the garbage collector is slow to release large
 * buffers. Large arrays are empty afterwards, so nothing else may use them.
 */
export function freeArrays(...arrays: readonly ArrayBufferView[]): void {
  for (const array of arrays) {
    if (array.byteLength < WORTH_FREEING) continue
    const { buffer } = array
    if (buffer instanceof ArrayBuffer) transfer?.call(buffer, 0)
  }
}

/**
 * Frees the arrays that an object owns, as {@link freeArrays} does. The object must not be used
 * afterwards.
 */
export function freeFields(owner: object): void {
  freeArrays(...Object.values(owner).filter((field) => ArrayBuffer.isView(field)))
}

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

  pop(): void {
    this.length--
  }

  /** Returns a view of the values, valid until the list grows. */
  values(): Int32Array {
    return this.data.subarray(0, this.length)
  }

  /** Returns a copy of the values and frees the list. */
  take(): Int32Array {
    const values = this.data.slice(0, this.length)
    freeArrays(this.data)
    return values
  }
}
