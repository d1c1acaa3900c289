const WORD = /\p{L}{4,}/gu

/**
 * Makes a text of `length` UTF-16 units from real texts. They are joined, and repeated if they are too short; each copy has its
 * words exchanged for one another, so that it repeats itself as real text does, but repeats nothing of the other copies.
 */
export function growText(texts: readonly string[], length: number): string {
  const once = texts.join('\n\n')
  const words = [...new Set(once.match(WORD) ?? [])]
  let grown = once
  for (let copy = 1; grown.length < length && once !== ''; copy++) {
    const exchanged = new Map(words.map((word, at) => [word, words[(at + copy * 977) % words.length]!]))
    grown += `\n\n${once.replace(WORD, (word) => exchanged.get(word)!)}`
  }
  return grown.slice(0, length)
}
