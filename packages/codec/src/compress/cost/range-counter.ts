import { freeArrays } from '../text/free-arrays.ts'
import type { Tokenizer } from '../../tokens/types.ts'

const MAX_ENTRIES = 1 << 18

/** Counts parts of a text with `head` before and `tail` behind them, remembering each by its characters: no string is made twice. */
export class RangeCounter {
  private readonly text: string
  private readonly tokenizer: Tokenizer
  private readonly head: string
  private readonly tail: string
  private size = 0
  private froms = new Int32Array(512)
  private tos = new Int32Array(512)
  private counts = new Int32Array(512)
  private slots = new Int32Array(1024)

  constructor(text: string, tokenizer: Tokenizer, head: string, tail: string) {
    this.text = text
    this.tokenizer = tokenizer
    this.head = head
    this.tail = tail
  }

  /** Tokens of `text.slice(from, to)` between head and tail. */
  count(from: number, to: number): number {
    const { slots, froms, tos } = this
    const mask = slots.length - 1
    let slot = this.hash(from, to) & mask
    for (let entry = slots[slot]!; entry !== 0; entry = slots[slot]!) {
      if (this.isSame(froms[entry]!, tos[entry]!, from, to)) return this.counts[entry]!
      slot = (slot + 1) & mask
    }
    const count = this.tokenizer.countTokens(this.head + this.text.slice(from, to) + this.tail)
    this.add(slot, from, to, count)
    return count
  }

  /** Gives its memory back; it counts no more. */
  free(): void {
    freeArrays(this.froms, this.tos, this.counts, this.slots)
  }

  private hash(from: number, to: number): number {
    const { text } = this
    let hash = to - from
    for (let at = from; at < to; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x5bd1e995)
    return hash ^ (hash >>> 15)
  }

  private isSame(from: number, to: number, otherFrom: number, otherTo: number): boolean {
    if (to - from !== otherTo - otherFrom) return false
    const { text } = this
    for (let at = from, other = otherFrom; at < to; at++, other++) {
      if (text.charCodeAt(at) !== text.charCodeAt(other)) return false
    }
    return true
  }

  private add(slot: number, from: number, to: number, count: number): void {
    const entry = ++this.size
    this.froms[entry] = from
    this.tos[entry] = to
    this.counts[entry] = count
    this.slots[slot] = entry
    if (entry + 1 === this.froms.length) this.grow()
  }

  /** Doubles the room, or forgets all where there is enough of it. */
  private grow(): void {
    const room = this.froms.length * 2
    if (room > MAX_ENTRIES) {
      this.size = 0
      this.slots.fill(0)
      return
    }
    this.froms = widen(this.froms, room)
    this.tos = widen(this.tos, room)
    this.counts = widen(this.counts, room)
    freeArrays(this.slots)
    this.slots = new Int32Array(room * 2)
    const mask = this.slots.length - 1
    for (let entry = 1; entry <= this.size; entry++) {
      let slot = this.hash(this.froms[entry]!, this.tos[entry]!) & mask
      while (this.slots[slot] !== 0) slot = (slot + 1) & mask
      this.slots[slot] = entry
    }
  }
}

function widen(values: Int32Array, room: number): Int32Array<ArrayBuffer> {
  const widened = new Int32Array(room)
  widened.set(values)
  freeArrays(values)
  return widened
}
