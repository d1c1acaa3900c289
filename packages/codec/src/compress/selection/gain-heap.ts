/** Orders the first `size` phrases of `heap` so that the one of most gain is on top. */
export function heapify(heap: Int32Array, size: number, gains: ArrayLike<number>): void {
  for (let node = (size >> 1) - 1; node >= 0; node--) siftDown(heap, size, gains, node)
}

/** Moves the phrase at `node` down until none below it gains more. */
export function siftDown(heap: Int32Array, size: number, gains: ArrayLike<number>, node: number): void {
  const item = heap[node]!
  for (;;) {
    let child = 2 * node + 1
    if (child >= size) break
    if (child + 1 < size && gains[heap[child + 1]!]! > gains[heap[child]!]!) child++
    if (gains[heap[child]!]! <= gains[item]!) break
    heap[node] = heap[child]!
    node = child
  }
  heap[node] = item
}
