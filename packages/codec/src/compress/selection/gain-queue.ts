import { freeArrays } from '../text/free-arrays.ts'

/** Phrases by their gains, the best first; whole tokens are told apart, not parts of them. */
export class GainQueue {
  /** The first phrase of each gain, and the phrase behind each; -1 at the end. */
  private readonly heads: Int32Array
  private readonly behind: Int32Array
  private gain: number

  /** Phrases that gain nothing are left out. */
  constructor(gains: Float64Array) {
    this.gain = Math.min(MOST, Math.floor(gains.reduce((most, gain) => Math.max(most, gain), 0)))
    this.heads = new Int32Array(this.gain + 1).fill(-1)
    this.behind = new Int32Array(gains.length)
    for (let phrase = 0; phrase < gains.length; phrase++)
      if (gains[phrase]! > 0) this.put(phrase, Math.min(this.gain, Math.floor(gains[phrase]!)))
  }

  /** Takes out the phrase of most gain; -1 where none is left. */
  take(): number {
    const { heads, behind } = this
    while (this.gain > 0 && heads[this.gain] === -1) this.gain--
    const phrase = heads[this.gain]!
    if (phrase >= 0) heads[this.gain] = behind[phrase]!
    return phrase
  }

  /** Puts the phrase taken last back if its gain turned out to be less than it was taken for, but not nothing. */
  putBack(phrase: number, gain: number): boolean {
    if (gain <= 0 || gain >= this.gain) return false
    this.put(phrase, Math.floor(gain))
    return true
  }

  /** Gives its memory back; nothing can be taken any more. */
  free(): void {
    freeArrays(this.heads, this.behind)
  }

  private put(phrase: number, gain: number): void {
    this.behind[phrase] = this.heads[gain]!
    this.heads[gain] = phrase
  }
}

/** Gains above are not told apart. */
const MOST = 1 << 20
