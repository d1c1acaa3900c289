/** Start value of a signature. */
export const HASH_SEED: number = 0x811c9dc5 | 0

/** Adds a number to a hash (FNV-1a on whole units). */
export function mixHash(hash: number, value: number): number {
  return Math.imul(hash ^ value, 0x01000193)
}

/** Adds the text between two offsets to a hash, with its length. */
export function mixText(hash: number, text: string, start: number, end: number): number {
  let mixed = mixHash(hash, end - start)
  for (let offset = start; offset < end; offset++) {
    mixed = Math.imul(mixed ^ text.charCodeAt(offset), 0x01000193)
  }
  return mixed
}

/** Spreads the bits of a finished hash. */
export function finishHash(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}
