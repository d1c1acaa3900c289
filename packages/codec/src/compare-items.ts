/** Items that two lists share, and what differs between these and the next that they share. */
export interface ComparedItems<Item> {
  readonly same: readonly Item[]
  readonly removed: readonly Item[]
  readonly added: readonly Item[]
}

/**
 * Compares two lists in order, with as few removed and added items as possible (Myers 1986, the
 * greedy algorithm). The work is bounded: if more than `most` items differ, everything between the
 * first and the last difference counts as removed and added, and `isWhole` is set. With
 * `isEndFirst`, the end that both share is taken before anything else: where an item repeats, the
 * difference then lies earlier.
 */
export function compareItems<Item>(
  before: readonly Item[],
  after: readonly Item[],
  most: number,
  isEndFirst = false,
): { readonly parts: readonly ComparedItems<Item>[]; readonly isWhole: boolean } {
  const shorter = Math.min(before.length, after.length)
  let [start, shared] = [0, 0]
  while (start < shorter && before[start] === after[start]) start++
  while (shared < shorter - start && before.at(-1 - shared) === after.at(-1 - shared)) shared++
  const end = isEndFirst ? shared : 0
  const [old, now] = [before.slice(start, before.length - end), after.slice(start, after.length - end)]
  const changes = findChanges(old, now, most)
  if (changes.isWhole) {
    changes.removed.fill(0, old.length - (shared - end))
    changes.added.fill(0, now.length - (shared - end))
  }
  const parts: ComparedItems<Item>[] = []
  let [x, y] = [-start, -start]
  while (x < old.length + end || y < now.length + end) {
    const from = x + start
    while (x < old.length + end && !changes.removed[x] && !changes.added[y]) [x, y] = [x + 1, y + 1]
    const same = before.slice(from, x + start)
    const [oldFrom, newFrom] = [x, y]
    while (changes.removed[x]) x++
    while (changes.added[y]) y++
    parts.push({ same, removed: old.slice(oldFrom, x), added: now.slice(newFrom, y) })
  }
  return { parts, isWhole: changes.isWhole }
}

/** Marks what was removed and added with 1. */
function findChanges<Item>(
  before: readonly Item[],
  after: readonly Item[],
  most: number,
): { readonly removed: Uint8Array; readonly added: Uint8Array; readonly isWhole: boolean } {
  const [removed, added] = [new Uint8Array(before.length), new Uint8Array(after.length)]
  // How far each number of changes leads in `before`, by diagonal: the place in `before` less that
  // in `after` is `2 * at - changes`. -1 is outside of the lists.
  const rounds: Int32Array[] = []
  const remove = (last: Int32Array, at: number): number => {
    const x = at > 0 ? last[at - 1]! : -1
    return x < 0 || x >= before.length ? -1 : x + 1
  }
  const add = (last: Int32Array, at: number): number => {
    const x = at < last.length ? last[at]! : -1
    return x - (2 * at - last.length) > after.length ? -1 : x
  }
  for (let count = 0; count <= most; count++) {
    const round = new Int32Array(count + 1)
    const last = rounds.at(-1)
    rounds.push(round)
    for (let at = 0; at <= count; at++) {
      const diagonal = 2 * at - count
      let x = last === undefined ? 0 : Math.max(remove(last, at), add(last, at))
      let y = x - diagonal
      for (; x >= 0 && x < before.length && y < after.length && before[x] === after[y]; y++) x++
      round[at] = x
      if (x < before.length || y < after.length) continue
      for (let [step, place] = [count, at]; step > 0; step--) {
        const [removal, addition] = [remove(rounds[step - 1]!, place), add(rounds[step - 1]!, place)]
        if (removal > addition) [removed[removal - 1], place] = [1, place - 1]
        else added[addition - (2 * place - step) - 1] = 1
      }
      return { removed, added, isWhole: false }
    }
  }
  return { removed: removed.fill(1), added: added.fill(1), isWhole: true }
}

/** Returns the items that a list has more often than another, in its order. */
export function subtractItems<Item>(items: Iterable<Item>, others: Iterable<Item>): Item[] {
  const counts = new Map<Item, number>()
  for (const other of others) counts.set(other, (counts.get(other) ?? 0) + 1)
  const rest: Item[] = []
  for (const item of items) {
    const left = counts.get(item) ?? 0
    counts.set(item, left - 1)
    if (left <= 0) rest.push(item)
  }
  return rest
}

export function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

/** A script that puts no spaces between words. */
const UNSPACED = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]`

/** Letters, digits and marks; or one character of a script that puts no spaces between words. */
const matchWord = (others: string): string =>
  String.raw`${UNSPACED}|(?:(?!${UNSPACED})[\p{L}\p{N}\p{M}_${others}])+`
const WORDS = new RegExp(matchWord("'’"), 'gu')
const PIECES = new RegExp(String.raw`${matchWord('')}|\s+|[^]`, 'gu')

export function* listWords(text: string): Generator<string> {
  for (const [word] of text.matchAll(WORDS)) yield word
}

/** Splits a text into words, white space and other characters, which together are the text. */
export function splitPieces(text: string): string[] {
  return text.match(PIECES) ?? []
}

/** As `Map.groupBy`, which Node 20 lacks. */
export function groupBy<Key, Item>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key) ?? []
    if (group.push(item) === 1) groups.set(key, group)
  }
  return groups
}
