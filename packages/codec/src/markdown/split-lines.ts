/** Offsets of the lines of a text; `ends` exclude the line ending. */
export interface LineOffsets {
  readonly count: number
  readonly starts: Uint32Array
  readonly ends: Uint32Array
}

/** Splits at `\n`, `\r\n` and `\r`, the line endings of CommonMark; a text of n line endings has n + 1 lines. */
export function splitLines(text: string): LineOffsets {
  const length = text.length
  let capacity = (length >> 5) + 16
  let starts = new Uint32Array(capacity)
  let ends = new Uint32Array(capacity)
  let count = 0
  let start = 0
  for (let offset = 0; offset < length; offset++) {
    const code = text.charCodeAt(offset)
    if (code > 13 || (code !== 10 && code !== 13)) continue
    if (count + 1 >= capacity) {
      capacity *= 2
      starts = grow(starts, capacity)
      ends = grow(ends, capacity)
    }
    starts[count] = start
    ends[count++] = offset
    if (code === 13 && text.charCodeAt(offset + 1) === 10) offset++
    start = offset + 1
  }
  starts[count] = start
  ends[count++] = length
  return { count, starts: starts.slice(0, count), ends: ends.slice(0, count) }
}

function grow(array: Uint32Array<ArrayBuffer>, capacity: number): Uint32Array<ArrayBuffer> {
  const grown = new Uint32Array(capacity)
  grown.set(array)
  return grown
}
