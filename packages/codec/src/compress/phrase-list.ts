import { IntList } from './int-list.ts'

const COLUMNS = ['from', 'to', 'length', 'cost', 'floor', 'best'] as const

type Column = (typeof COLUMNS)[number]

/** A phrase found: its range in the suffix array, and what it costs and saves at best, in tokens. */
export type FoundPhrase = Readonly<Record<Column, number>>

/**
 * Phrases found so far. When there are more than `most`, those that save least at best go, and none like them is taken any
 * more: so memory is bounded whatever the text.
 */
export class PhraseList {
  /** No phrase that saves at best more than this, net, was left out. */
  cut: number = -Infinity
  private most: number
  private readonly columns: Readonly<Record<Column, IntList>>

  constructor(most: number) {
    this.most = most
    this.columns = {
      from: new IntList(),
      to: new IntList(),
      length: new IntList(),
      cost: new IntList(),
      floor: new IntList(),
      best: new IntList(),
    }
  }

  push(phrase: FoundPhrase): void {
    if (phrase.best <= this.cut) return
    if (this.columns.best.length >= this.most) this.raiseCut()
    if (phrase.best <= this.cut) return
    for (const column of COLUMNS) this.columns[column].push(phrase[column])
  }

  values(column: Column): Int32Array {
    return this.columns[column].values()
  }

  /** Drops up to half of the phrases; where that frees little, since many save the same, makes room. */
  private raiseCut(): void {
    const best = this.values('best')
    this.cut = best.toSorted()[best.length >> 1]! - 1
    const kept = best.map((value) => (value > this.cut ? 1 : 0))
    for (const column of COLUMNS) this.columns[column].keep(kept)
    if (this.columns.best.length > 0.9 * this.most) this.most *= 2
  }
}
