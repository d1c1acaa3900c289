/** Token ids, in `ids` below `count`. */
export interface Tokens {
  readonly ids: Int32Array
  count: number
}

/** Tokens of a run of bytes: token `i` ends before byte `ends[i]`. */
export interface TokenRun extends Tokens {
  readonly ends: Int32Array
}

/** Creates a {@link TokenRun} with room for `capacity` tokens. */
export function createTokenRun(capacity: number): TokenRun {
  return { ids: new Int32Array(capacity), ends: new Int32Array(capacity), count: 0 }
}
