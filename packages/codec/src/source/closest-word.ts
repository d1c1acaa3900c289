/**
 * Finds the candidate that `word` is most likely a misspelling of; at most a third of the letters
 * may differ. Uses the optimal string alignment distance, ignoring case and separators.
 */
export function findClosestWord(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > 40) return undefined
  let best: string | undefined
  let bestDistance = Infinity
  for (const candidate of candidates) {
    const distance = measureDistance(fold(word), fold(candidate))
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
  const distance = measureDistance(a, b)
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

function measureDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, (beforeLast[j - 2] ?? 0) + 1)
      }
      row.push(cost)
    }
    beforeLast = last
    last = row
  }
  return last[b.length] ?? 0
}
