const K1 = 1.2
const B = 0.75

/**
 * Ranks texts by BM25 without stems, weights or repair (Robertson, Zaragoza, "The probabilistic relevance framework", 2009). Runs of
 * Han and kana are trigrams.
 *
 * @returns a function that gives the texts that have a word of a query, the best first
 */
export function createBm25<T extends { readonly words: string }>(
  texts: readonly T[],
): (query: string) => T[] {
  const documents = texts.map((text) => {
    const words = splitWords(text.words)
    const uses = new Map<string, number>()
    for (const word of words) uses.set(word, (uses.get(word) ?? 0) + 1)
    return { text, uses, length: words.length }
  })
  const frequencies = new Map<string, number>()
  for (const { uses } of documents)
    for (const word of uses.keys()) frequencies.set(word, (frequencies.get(word) ?? 0) + 1)
  const average = documents.reduce((sum, { length }) => sum + length, 0) / documents.length
  return (query) => {
    const weights = [...new Set(splitWords(query))].map((word) => {
      const found = frequencies.get(word) ?? 0
      return [word, Math.log(1 + (documents.length - found + 0.5) / (found + 0.5))] as const
    })
    const score = ({ uses, length }: (typeof documents)[number]): number =>
      weights.reduce((sum, [word, weight]) => {
        const count = uses.get(word) ?? 0
        return sum + (weight * count * (K1 + 1)) / (count + K1 * (1 - B + (B * length) / average))
      }, 0)
    return documents
      .map((document) => ({ document, score: score(document) }))
      .filter((found) => found.score > 0)
      .toSorted((a, b) => b.score - a.score)
      .map(({ document }) => document.text)
  }
}

export function splitWords(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).flatMap((word) => {
    if (!/[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]/v.test(word)) return [word]
    return Array.from({ length: Math.max(1, word.length - 2) }, (_, at) => word.slice(at, at + 3))
  })
}
