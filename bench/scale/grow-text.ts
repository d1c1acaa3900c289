const WORD = /\p{L}{4,}/gu

/**
 * A text of `length` UTF-16 units from real ones: joined, and again where they are too short, each time with the words
 * exchanged for one another, so that a copy repeats itself as real text does and nothing of the copies before.
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
