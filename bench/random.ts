/** A source of numbers that its seed decides (T. Ettinger, "mulberry32", 2017), so that every text can be made again. */
export class Random {
  private state: number

  constructor(seed: number) {
    this.state = seed >>> 0
  }

  /** A number from 0 up to 1, 1 excluded. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** An integer from 0 up to `limit`, `limit` excluded. */
  below(limit: number): number {
    return Math.floor(this.next() * limit)
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!
  }
}
