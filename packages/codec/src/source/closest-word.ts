/** Finds what a word misspells: a third of the letters may differ, and case and separators. */
export function findClosestWord(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > 40) return undefined
  let best: string | undefined
  let bestDistance = Infinity
  for (const candidate of candidates) {
    const distance = countEdits(fold(word), fold(candidate))
    if (distance < bestDistance && distance * 3 <= Math.max(candidate.length, 3)) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

/**
 * Whether `word` is most likely a typing error for `known`: equal but for case and separators, or
 * with one letter that is wrong, missing, added or swapped with the next one. Stricter than
 * {@link findClosestWord}, because `word` may well be right. A plural is, and of a short word only
 * a swap counts.
 */
export function isTypingError(word: string, known: string): boolean {
  if (word === known || Math.abs(word.length - known.length) > 2 || REAL_WORDS.has(word)) return false
  const [a, b] = [fold(word), fold(known)]
  const distance = countEdits(a, b)
  if (distance !== 1) return distance === 0
  if (`${a}s` === b || `${b}s` === a) return false
  return b.length > 4 || sortLetters(a) === sortLetters(b)
}

/** Words of other languages and tools that differ from a key in one letter. */
const REAL_WORDS: ReadonlySet<string> = new Set(
  'tile titre domaine difficulté versión versjon glossar'.split(' '),
)

function sortLetters(word: string): string {
  return Array.from(word).toSorted().join('')
}

function fold(word: string): string {
  return word.toLowerCase().replace(/[-_ ]/g, '')
}

/** Returns the edits between two words, or `limit + 1` (optimal string alignment). */
export function countEdits(a: string, b: string, limit: number = Infinity): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let edits = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (same ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        edits = Math.min(edits, beforeLast[j - 2]! + 1)
      row.push(edits)
    }
    if (Math.min(...row) > limit) return limit + 1
    beforeLast = last
    last = row
  }
  return last[b.length]!
}

const MAX_COMPARED = 5000
const MAX_NEAREST = 3
/** Names with a lower likeness are not suggested. */
const MIN_LIKENESS = 0.4

/** Names that share most pairs of characters (Sørensen-Dice), of the first 5,000. */
export function findNearest(unknown: string, names: readonly string[]): readonly string[] {
  const wanted = listPairs(unknown)
  return names
    .slice(0, MAX_COMPARED)
    .map((name) => {
      const pairs = listPairs(name)
      const common = [...pairs].filter((pair) => wanted.has(pair)).length
      return { name, likeness: (2 * common) / (wanted.size + pairs.size) }
    })
    .filter(({ likeness }) => likeness >= MIN_LIKENESS)
    .toSorted((a, b) => b.likeness - a.likeness)
    .slice(0, MAX_NEAREST)
    .map(({ name }) => name)
}

function listPairs(name: string): ReadonlySet<string> {
  const text = ` ${name.slice(0, 200).toLowerCase()} `
  return new Set(Array.from({ length: text.length - 1 }, (_, at) => text.slice(at, at + 2)))
}
