const MAX_KEY_LENGTH = 600

/**
 * Returns text that both databases can store: lone surrogates, and U+0000, which Postgres rejects,
 * become U+FFFD.
 */
export function cleanText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD')
}

/**
 * Derives the key by which titles are sorted and searched: NFKC, lower case, both forms of the
 * small sigma alike.
 *
 * Characters that a database cannot store or compare (U+0000, U+FFFE, U+FFFF, lone surrogates)
 * become U+FFFD.
 */
export function deriveTitleKey(title: string): string {
  return title
    .toWellFormed()
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFKC')
    .replaceAll('ς', 'σ')
    .replace(/[\0\uFFFE\uFFFF]/g, '\uFFFD')
}

/**
 * Derives the title key to store: its first 600 characters, because Postgres indexes at most 2,700
 * bytes. A title has at most 300 characters, and only a few rare ones become several under NFKC.
 */
export function deriveStoredTitleKey(title: string): string {
  const key = deriveTitleKey(title)
  return key.length <= MAX_KEY_LENGTH ? key : Array.from(key).slice(0, MAX_KEY_LENGTH).join('')
}

export function splitWords(titleKey: string): string[] {
  return [...new Set(titleKey.split(/\s+/u).filter((word) => word !== ''))]
}

/**
 * Lists every single character and every pair of adjacent characters in words, which trigrams
 * cannot find.
 */
export function listShortGrams(titleKey: string): string[] {
  const grams = new Set<string>()
  for (const word of splitWords(titleKey)) {
    let previous = ''
    for (const character of word) {
      grams.add(character)
      if (previous !== '') grams.add(previous + character)
      previous = character
    }
  }
  return [...grams]
}

/** Separates words that trigrams find (three characters and more) from shorter ones. */
export function groupWords(words: readonly string[]): { readonly long: string[]; readonly short: string[] } {
  const isShort = (word: string): boolean => word.length <= 4 && Array.from(word).length <= 2
  return { long: words.filter((word) => !isShort(word)), short: words.filter(isShort) }
}
