import { findFirst } from '../binary-search.ts'
import type { MinifyRule, PatchRow } from './types.ts'

/** Replaces `[at, end)` of the source. Of a link the number follows `insert`, then `tail`. */
export interface Edit {
  readonly at: number
  readonly end: number
  readonly insert: string
  readonly address?: string
  readonly tail?: string
}

/** Edits that are made together or not at all. */
export interface Group {
  readonly rule: MinifyRule
  readonly edits: readonly Edit[]
  /** What to try if the comparison rejects the edits. */
  readonly fallback: readonly Edit[] | undefined
  readonly saved: number
}

/** A source with edits applied: its text, its links, and the positions of one in the other. */
export class EditedText {
  readonly text: string
  readonly links: string[] = []
  readonly edits: readonly Edit[]
  /** Of each edit: where it begins and ends in the text. */
  private readonly places: Uint32Array
  private readonly source: string

  constructor(source: string, groups: Iterable<Group>) {
    const edits: Edit[] = []
    for (const group of groups) for (const edit of group.edits) edits.push(edit)
    edits.sort((a, b) => a.at - b.at || a.end - b.end)
    this.source = source
    this.edits = edits
    this.places = new Uint32Array(2 * edits.length)
    const numbers = new Map<string, number>()
    const parts: string[] = []
    let end = 0
    let length = 0
    for (const [index, edit] of edits.entries()) {
      const { address } = edit
      let number = 0
      if (address !== undefined) {
        number = numbers.get(address) ?? this.links.push(address)
        numbers.set(address, number)
      }
      const inserted = writeInsert(edit, number)
      parts.push(source.slice(end, edit.at), inserted)
      length += edit.at - end
      this.places[2 * index] = length
      this.places[2 * index + 1] = length += inserted.length
      end = edit.end
    }
    parts.push(source.slice(end))
    this.text = parts.join('')
  }

  /** The rows that restore the source; adjacent edits become one row. */
  makePatch(): PatchRow[] {
    const { edits, places, source } = this
    const rows: [at: number, removed: number, inserted: string][] = []
    for (const [index, { at, end }] of edits.entries()) {
      const start = places[2 * index]!
      const removed = places[2 * index + 1]! - start
      const last = rows.at(-1)
      if (last !== undefined && last[0] + last[1] === start) {
        last[1] += removed
        last[2] += source.slice(at, end)
      } else rows.push([start, removed, source.slice(at, end)])
    }
    return rows
  }

  /** Offset in the text of an offset in the source; -1 if an edit replaced the place. */
  toText(offset: number): number {
    const isBehind = ({ at, end }: Edit): boolean => at > offset || (at === offset && end > offset)
    const index = findFirst(this.edits.length, (edit) => isBehind(this.edits[edit]!)) - 1
    if (index < 0) return offset
    const { end } = this.edits[index]!
    return offset < end ? -1 : this.places[2 * index + 1]! + offset - end
  }

  /** Offset in the source: behind what was removed there, before what was inserted. */
  toSource(offset: number): number {
    const { edits, places } = this
    const index = findFirst(edits.length, (edit) => places[2 * edit]! > offset) - 1
    if (index < 0) return offset
    const { at, end } = edits[index]!
    return offset < places[2 * index + 1]! ? at : end + offset - places[2 * index + 1]!
  }

  /** Whether an offset of the text is in what an edit inserted. */
  isInserted(offset: number): boolean {
    const index = findFirst(this.edits.length, (edit) => this.places[2 * edit]! > offset) - 1
    return index >= 0 && offset < this.places[2 * index + 1]!
  }

  /** Whether edits take `[start, end)` of the source out. */
  isRemoved(start: number, end: number): boolean {
    for (let offset = start; offset < end;) {
      const index = findFirst(this.edits.length, (edit) => this.edits[edit]!.at > offset) - 1
      if (index < 0 || this.edits[index]!.end <= offset) return false
      offset = this.edits[index]!.end
    }
    return true
  }

  /** Whether an edit touches `[start, end)` of the source. */
  isEdited(start: number, end: number): boolean {
    const { edits } = this
    const index = findFirst(edits.length, (edit) => edits[edit]!.end >= start)
    return index < edits.length && edits[index]!.at <= end
  }
}

export function writeInsert({ insert, address, tail = '' }: Edit, number: number): string {
  return address === undefined ? insert : insert + number + tail
}

/**
 * Creates a function that returns where a place of a minified text is in its source, in logarithmic
 * time: what was inserted before a place comes before it, and a place inside of what was replaced
 * is where that begins. Offsets are in UTF-16 units.
 * @param patch in ascending order, as every patch of the codec
 */
export function createSourceOffsets(patch: readonly PatchRow[]): (offset: number) => number {
  let shift = 0
  const shifts = patch.map(([, removed, inserted]) => (shift += inserted.length - removed))
  return (offset) => {
    const row = findFirst(patch.length, (at) => patch[at]![0] + patch[at]![1] > offset)
    return Math.min(offset, patch[row]?.[0] ?? offset) + (shifts[row - 1] ?? 0)
  }
}
