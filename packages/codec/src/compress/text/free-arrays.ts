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
